// The formulas of the isosurface that all implementations share: the values around the grid, where
// a line between two voxels is crossed, and the normal there.
#pragma once

#include "compute/core/volume.h"

#include <array>
#include <cstddef>

namespace systole::iso {

/// How near to a voxel a point may lie, in the distance of the two voxels.
inline constexpr float minPart = 1.0f / 1024;

constexpr int clampedTo(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }

/// The values of a closed surface have one more layer on every side: the size of the value of the
/// nearest voxel, so that a lid lies halfway. Positions count from that layer.
struct Values {
    VolumeView<const float> phi;
    int layer; ///< 1: closed; 0: open

    constexpr Size3 size() const {
        return {phi.size.x + 2 * layer, phi.size.y + 2 * layer, phi.size.z + 2 * layer};
    }
    constexpr float at(int x, int y, int z) const {
        const int i = x - layer, j = y - layer, k = z - layer;
        const int ci = clampedTo(i, phi.size.x), cj = clampedTo(j, phi.size.y),
                  ck = clampedTo(k, phi.size.z);
        const float value = phi(ci, cj, ck);
        return (ci != i || cj != j || ck != k) && value < 0 ? -value : value;
    }
};

/// Fraction of the way from the first to the second of two values of different sides at which 0
/// lies.
constexpr float partOf(float first, float second) {
    const float part = first / (first - second);
    return part > minPart ? (part < 1 - minPart ? part : 1 - minPart) : minPart;
}

/// Differences per voxel: central, one-sided at the edge, none along an axis of one voxel.
constexpr std::array<float, 3> gradientAt(const Values& values, int x, int y, int z) {
    const Size3 n = values.size();
    const auto difference = [](float before, float after, int steps) {
        return steps > 0 ? (after - before) / static_cast<float>(steps) : 0.0f;
    };
    const int x0 = x > 0 ? x - 1 : x, x1 = x + 1 < n.x ? x + 1 : x;
    const int y0 = y > 0 ? y - 1 : y, y1 = y + 1 < n.y ? y + 1 : y;
    const int z0 = z > 0 ? z - 1 : z, z1 = z + 1 < n.z ? z + 1 : z;
    return {difference(values.at(x0, y, z), values.at(x1, y, z), x1 - x0),
            difference(values.at(x, y0, z), values.at(x, y1, z), y1 - y0),
            difference(values.at(x, y, z0), values.at(x, y, z1), z1 - z0)};
}

/// A point of the surface in voxels of phi, and the gradient per voxel there.
struct SurfacePoint {
    std::array<float, 3> index, gradient;
};

/// The surface's point on the line from (x, y, z) to its next neighbor along `axis`, which lies on
/// the other side.
constexpr SurfacePoint pointOn(const Values& values, int x, int y, int z, int axis) {
    const int to[3] = {x + (axis == 0), y + (axis == 1), z + (axis == 2)};
    const float first = values.at(x, y, z), second = values.at(to[0], to[1], to[2]);
    const float part = partOf(first, second);
    const auto before = gradientAt(values, x, y, z);
    const auto after = gradientAt(values, to[0], to[1], to[2]);
    SurfacePoint point{{static_cast<float>(x - values.layer), static_cast<float>(y - values.layer),
                        static_cast<float>(z - values.layer)},
                       {}};
    const auto along = static_cast<std::size_t>(axis);
    point.index[along] += part;
    for (std::size_t a = 0; a < 3; ++a)
        point.gradient[a] = before[a] + part * (after[a] - before[a]);
    // Where the gradients cancel, the line itself says what is outward.
    if (point.gradient[0] == 0 && point.gradient[1] == 0 && point.gradient[2] == 0)
        point.gradient[along] = second < 0 ? -1.0f : 1.0f;
    return point;
}

/// Bits of a voxel: which of its lines to the next neighbors are crossed, and whether it is inside.
inline constexpr int crossesX = 1, crossesY = 2, crossesZ = 4, isInside = 8;

constexpr int codeOf(const Values& values, int x, int y, int z) {
    const Size3 n = values.size();
    const bool in = values.at(x, y, z) < 0;
    const auto differs = [&](int i, int j, int k) { return (values.at(i, j, k) < 0) != in; };
    return (x + 1 < n.x && differs(x + 1, y, z) ? crossesX : 0) |
           (y + 1 < n.y && differs(x, y + 1, z) ? crossesY : 0) |
           (z + 1 < n.z && differs(x, y, z + 1) ? crossesZ : 0) | (in ? isInside : 0);
}

/// How many lines of a code are crossed, and how many of them come before axis `axis`.
constexpr int pointsOf(int code) { return (code & 1) + (code >> 1 & 1) + (code >> 2 & 1); }
constexpr int pointsBefore(int code, int axis) { return pointsOf(code & ((1 << axis) - 1)); }

} // namespace systole::iso
