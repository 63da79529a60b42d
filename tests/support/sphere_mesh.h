// A sphere of triangles.
#pragma once

#include "compute/core/geometry.h"
#include "compute/core/triangle_mesh.h"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace systole {

/// Rings of points from pole to pole, all on the sphere of `radius` mm around `center`, with their
/// normals; triangles counterclockwise from outside.
inline TriangleMesh sphereMesh(Vec3 center, double radius, int rings = 24) {
    TriangleMesh mesh;
    const int sides = 2 * rings;
    const auto add = [&](Vec3 n) {
        const Vec3 p = center + radius * n;
        mesh.points.push_back(
            {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
        mesh.normals.push_back(
            {static_cast<float>(n.x), static_cast<float>(n.y), static_cast<float>(n.z)});
    };
    add({0, 0, 1});
    for (int ring = 1; ring < rings; ++ring)
        for (int side = 0; side < sides; ++side) {
            const double theta = std::numbers::pi * ring / rings;
            const double phi = 2 * std::numbers::pi * side / sides;
            add({std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
                 std::cos(theta)});
        }
    add({0, 0, -1});
    const auto at = [&](int ring, int side) {
        return static_cast<std::uint32_t>(1 + (ring - 1) * sides + side % sides);
    };
    const auto last = static_cast<std::uint32_t>(mesh.points.size() - 1);
    for (int side = 0; side < sides; ++side) {
        mesh.triangles.push_back({0, at(1, side), at(1, side + 1)});
        for (int ring = 1; ring + 1 < rings; ++ring) {
            mesh.triangles.push_back({at(ring, side), at(ring + 1, side), at(ring + 1, side + 1)});
            mesh.triangles.push_back({at(ring, side), at(ring + 1, side + 1), at(ring, side + 1)});
        }
        mesh.triangles.push_back({at(rings - 1, side + 1), at(rings - 1, side), last});
    }
    return mesh;
}

} // namespace systole
