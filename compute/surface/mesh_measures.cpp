#include "compute/surface/mesh_measures.h"

#include "compute/core/error.h"
#include "compute/core/geometry.h"
#include "compute/surface/nearest_triangle.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace systole {
namespace {

Vec3 cross(Vec3 a, Vec3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// One side of a triangle: the two points, the lower first, and whether it runs from it.
struct Side {
    std::uint64_t ends;
    bool upward;
    bool operator<(const Side& other) const {
        return ends != other.ends ? ends < other.ends : upward < other.upward;
    }
};

std::vector<Side> sortedSides(const TriangleMesh& mesh) {
    std::vector<Side> sides;
    sides.reserve(3 * mesh.triangles.size());
    for (const auto& t : mesh.triangles)
        for (std::size_t i = 0; i < 3; ++i) {
            const std::uint64_t a = t[i], b = t[(i + 1) % 3];
            sides.push_back({std::min(a, b) << 32 | std::max(a, b), a < b});
        }
    std::ranges::sort(sides, [](const Side& a, const Side& b) { return a < b; });
    return sides;
}

void countEdges(const TriangleMesh& mesh, MeshMeasures& m) {
    const std::vector<Side> sides = sortedSides(mesh);
    for (std::size_t i = 0; i < sides.size();) {
        std::size_t end = i;
        while (end < sides.size() && sides[end].ends == sides[i].ends)
            ++end;
        ++m.edges;
        if (end - i == 1)
            ++m.rimEdges;
        else if (end - i > 2 || sides[i].upward == sides[i + 1].upward)
            ++m.badEdges;
        i = end;
    }
}

/// Parts by union of their points.
class Parts {
public:
    explicit Parts(std::size_t points) : parent_(points) {
        std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
    }
    void join(std::uint32_t a, std::uint32_t b) { parent_[rootOf(a)] = rootOf(b); }
    std::uint32_t rootOf(std::uint32_t point) {
        while (parent_[point] != point)
            point = parent_[point] = parent_[parent_[point]];
        return point;
    }

private:
    std::vector<std::uint32_t> parent_;
};

void countParts(const TriangleMesh& mesh, MeshMeasures& m) {
    Parts parts(mesh.points.size());
    std::vector<bool> used(mesh.points.size());
    for (const auto& t : mesh.triangles) {
        parts.join(t[0], t[1]);
        parts.join(t[1], t[2]);
        for (const std::uint32_t point : t)
            used[point] = true;
    }
    for (std::uint32_t point = 0; point < used.size(); ++point) {
        m.points += used[point];
        m.components += used[point] && parts.rootOf(point) == point;
    }
}

} // namespace

MeshMeasures measure(const TriangleMesh& mesh) {
    MeshMeasures m;
    m.triangles = mesh.triangles.size();
    countEdges(mesh, m);
    countParts(mesh, m);
    m.eulerCharacteristic = static_cast<long long>(m.points) - static_cast<long long>(m.edges) +
                            static_cast<long long>(m.triangles);
    if (mesh.triangles.empty())
        return m;
    // Volumes of cones whose tip lies near the surface: less cancels.
    const Vec3 tip = pointOf(mesh, mesh.triangles.front()[0]);
    double area = 0, volume = 0;
    for (const auto& t : mesh.triangles) {
        const Vec3 a = pointOf(mesh, t[0]) - tip, b = pointOf(mesh, t[1]) - tip,
                   c = pointOf(mesh, t[2]) - tip;
        area += length(cross(b - a, c - a)) / 2;
        volume += dot(a, cross(b, c)) / 6;
    }
    m.areaSquareMillimeters = area;
    m.volumeCubicMillimeters = m.closed() ? volume : NAN;
    return m;
}

SurfaceDistance distanceBetween(const TriangleMesh& from, const TriangleMesh& to,
                                const ExecContext& ctx) {
    if (from.triangles.empty() || to.triangles.empty())
        throw ComputeError("the distance of two surfaces needs triangles in both");
    const NearestTriangle nearest(to);
    std::vector<double> squared(from.points.size());
    constexpr int pointsPerChunk = 512;
    parallelFor(ctx, static_cast<int>(from.points.size()), pointsPerChunk, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int i = begin; i < end; ++i)
            squared[static_cast<std::size_t>(i)] =
                nearest.to(pointOf(from, static_cast<std::uint32_t>(i))).squaredDistance;
    });
    SurfaceDistance distance;
    for (const double value : squared) {
        distance.mean += std::sqrt(value);
        distance.largest = std::max(distance.largest, std::sqrt(value));
    }
    distance.mean /= static_cast<double>(squared.size());
    return distance;
}

} // namespace systole
