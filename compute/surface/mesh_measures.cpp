#include "compute/surface/mesh_measures.h"

#include "compute/core/chunk_sums.h"
#include "compute/core/points.h"
#include "compute/surface/nearest_triangle.h"
#include "compute/surface/point_corners.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace systole {
namespace {

/// Numbers of a mesh's edges: all, those of one triangle, and those that no surface has.
struct EdgeCounts {
    std::size_t all = 0, rim = 0, bad = 0;

    EdgeCounts& operator+=(const EdgeCounts& other) {
        all += other.all;
        rim += other.rim;
        bad += other.bad;
        return *this;
    }
};

/// Counts of the edges whose lower end is one of the points from `begin` to `end`.
EdgeCounts edgesFrom(const TriangleMesh& mesh, const PointCorners& corners, std::size_t begin,
                     std::size_t end) {
    EdgeCounts counts;
    std::vector<std::pair<std::uint32_t, bool>> sides; // the other end, and whether it runs there
    for (std::size_t point = begin; point < end; ++point) {
        sides.clear();
        for (const std::uint32_t corner : corners.at(point)) {
            const auto& t = mesh.triangles[corner / 3];
            const std::uint32_t to = t[(corner + 1) % 3], from = t[(corner + 2) % 3];
            if (to >= point)
                sides.emplace_back(to, true);
            if (from > point)
                sides.emplace_back(from, false);
        }
        std::ranges::sort(sides);
        for (std::size_t i = 0; i < sides.size();) {
            std::size_t last = i;
            while (last < sides.size() && sides[last].first == sides[i].first)
                ++last;
            ++counts.all;
            if (last - i == 1)
                ++counts.rim;
            else if (last - i > 2 || sides[i].second == sides[i + 1].second)
                ++counts.bad;
            i = last;
        }
    }
    return counts;
}

void setEdges(const EdgeCounts& counts, MeshMeasures& m) {
    m.edges = counts.all;
    m.rimEdges = counts.rim;
    m.badEdges = counts.bad;
}

struct Extent {
    double area = 0, volume = 0;

    void operator+=(const Extent& other) {
        area += other.area;
        volume += other.volume;
    }
};

/// Area and volume of the triangles from `begin` to `end`. The volumes are those of cones whose tip
/// lies on the mesh: less cancels in their sum.
Extent extentOf(const TriangleMesh& mesh, std::size_t begin, std::size_t end) {
    const Vec3 tip = pointOf(mesh, mesh.triangles.front()[0]);
    Extent sum;
    for (std::size_t i = begin; i < end; ++i) {
        const auto& t = mesh.triangles[i];
        const Vec3 a = pointOf(mesh, t[0]) - tip, b = pointOf(mesh, t[1]) - tip,
                   c = pointOf(mesh, t[2]) - tip;
        sum.area += length(cross(b - a, c - a)) / 2;
        sum.volume += dot(a, cross(b, c)) / 6;
    }
    return sum;
}

void setExtent(const Extent& extent, MeshMeasures& m) {
    m.areaSquareMillimeters = extent.area;
    m.volumeCubicMillimeters = m.closed() ? extent.volume : NAN;
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
    setEdges(edgesFrom(mesh, PointCorners(mesh), 0, mesh.points.size()), m);
    countParts(mesh, m);
    m.eulerCharacteristic = static_cast<long long>(m.points) - static_cast<long long>(m.edges) +
                            static_cast<long long>(m.triangles);
    if (!mesh.triangles.empty())
        setExtent(extentOf(mesh, 0, mesh.triangles.size()), m);
    return m;
}

MeshMeasures measureSize(const TriangleMesh& mesh, const ExecContext& ctx) {
    constexpr int chunk = 8192;
    MeshMeasures m;
    m.triangles = mesh.triangles.size();
    const PointCorners corners(mesh);
    const auto sumOver = [&](std::size_t count, const auto& part) {
        return sumOfChunks(ctx, static_cast<int>(count), chunk, [&](int begin, int end) {
            return part(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
        });
    };
    setEdges(sumOver(mesh.points.size(),
                     [&](std::size_t begin, std::size_t end) {
                         return edgesFrom(mesh, corners, begin, end);
                     }),
             m);
    if (mesh.triangles.empty())
        return m;
    setExtent(
        sumOver(mesh.triangles.size(),
                [&](std::size_t begin, std::size_t end) { return extentOf(mesh, begin, end); }),
        m);
    return m;
}

} // namespace systole
