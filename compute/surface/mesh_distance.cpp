#include "compute/surface/mesh_distance.h"

#include "compute/core/error.h"
#include "compute/ops/over_voxels.h"
#include "compute/surface/closest_points.h"
#include "compute/surface/label_box.h"
#include "compute/surface/mesh_measures.h"
#include "compute/surface/nearest_triangle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace systole {
namespace {

/// Crossings of the surface with lines of voxels along x, found triangle by triangle in the plane
/// of the index axes y and z.
class Crossings {
public:
    Crossings(const TriangleMesh& mesh, const Geometry& geometry) : size_(geometry.size()) {
        points_.reserve(mesh.points.size());
        for (std::uint32_t i = 0; i < mesh.points.size(); ++i)
            points_.push_back(geometry.physicalToIndex(pointOf(mesh, i)));
        lines_.resize(rowIndex(size_, 0, size_.z));
        for (const auto& triangle : mesh.triangles)
            add(triangle);
        for (auto& line : lines_)
            std::ranges::sort(line, [](const Crossing& a, const Crossing& b) {
                return a.x != b.x ? a.x < b.x : a.turn < b.turn;
            });
    }

    /// Points of the mesh in voxels.
    const std::vector<Vec3>& points() const { return points_; }

    struct Crossing {
        double x;
        int turn; ///< change of the winding number
    };
    const std::vector<Crossing>& line(int y, int z) const { return lines_[rowIndex(size_, y, z)]; }

private:
    /// The side of the edge from a to b on which the point (y, z) lies: 1 or -1, never 0. Computed
    /// for the edge in the order of its indices, so that both of its triangles get the same result;
    /// a point on the edge counts as moved by an infinitesimal step along y and a smaller one along
    /// z.
    int sideOf(std::uint32_t from, std::uint32_t to, int y, int z) const {
        const bool swapped = from > to;
        const Vec3 a = points_[swapped ? to : from], b = points_[swapped ? from : to];
        double side = (b.y - a.y) * (z - a.z) - (b.z - a.z) * (y - a.y);
        if (side == 0)
            side = -(b.z - a.z);
        if (side == 0)
            side = b.y - a.y;
        return (side > 0) != swapped ? 1 : -1;
    }

    void add(const std::array<std::uint32_t, 3>& t) {
        const Vec3 a = points_[t[0]], b = points_[t[1]], c = points_[t[2]];
        // One line more on each side, for points on an edge.
        const auto first = [](double low) {
            return static_cast<int>(std::clamp(std::floor(low), 0.0, 1e9));
        };
        const auto last = [](double high, int n) {
            return static_cast<int>(std::clamp(std::ceil(high), -1.0, static_cast<double>(n - 1)));
        };
        const int y1 = last(std::max({a.y, b.y, c.y}), size_.y);
        const int z1 = last(std::max({a.z, b.z, c.z}), size_.z);
        const double area = (b.y - a.y) * (c.z - a.z) - (b.z - a.z) * (c.y - a.y);
        for (int z = first(std::min({a.z, b.z, c.z})); z <= z1; ++z)
            for (int y = first(std::min({a.y, b.y, c.y})); y <= y1; ++y) {
                const int side = sideOf(t[0], t[1], y, z);
                if (sideOf(t[1], t[2], y, z) != side || sideOf(t[2], t[0], y, z) != side)
                    continue;
                // Seen along x the triangle has an area, or rounds to none: then any point serves.
                double x = (a.x + b.x + c.x) / 3;
                if (area != 0) {
                    const double beyondB =
                        ((y - a.y) * (c.z - a.z) - (z - a.z) * (c.y - a.y)) / area;
                    const double beyondC =
                        ((b.y - a.y) * (z - a.z) - (b.z - a.z) * (y - a.y)) / area;
                    x = a.x + beyondB * (b.x - a.x) + beyondC * (c.x - a.x);
                }
                lines_[rowIndex(size_, y, z)].push_back({x, side});
            }
    }

    Size3 size_;
    std::vector<Vec3> points_;
    std::vector<std::vector<Crossing>> lines_;
};

/// Calls work(first plane, number of planes) for one slab after the other, and reports that one
/// half of the distance is done so far: the first, 0, or the second, 0.5.
template <typename Work>
void overSlabs(int planes, double done, const ExecContext& ctx, const Work& work) {
    constexpr int thickness = 16;
    for (int from = 0; from < planes; from += thickness) {
        ctx.report("signed distance", done + 0.5 * from / planes);
        work(from, std::min(thickness, planes - from));
    }
}

/// Distances without their sign: exact near the surface; farther away, where a search through all
/// triangles would compare most of them, to the nearest of the points that voxels beside the
/// surface have on it.
class Distances {
public:
    /// `points` are those of the mesh, in voxels.
    Distances(const TriangleMesh& mesh, const Geometry& geometry, const std::vector<Vec3>& points,
              const ExecContext& ctx)
        : geometry_(geometry), nearest_(mesh), size_(geometry.size()) {
        if (size_.voxels() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()) ||
            !geometry.isOrthonormal() || !liesInside(points))
            return; // every voxel searches
        storage_ = ctx.pool->acquire<float>(3 * size_.voxels(), "closest points");
        sources_ = ctx.pool->acquire<std::int32_t>(size_.voxels(), "voxels of closest points");
        std::vector<std::uint8_t> beside(size_.voxels());
        mark(mesh, points, beside);
        findBeside(beside, ctx);
        spreadClosestPoints(closest(), geometry.spacing(), {sources_.data(), size_}, ctx);
    }

    /// `start` is a triangle near the voxel, and becomes one for the next.
    float at(int x, int y, int z, std::uint32_t& start) const {
        if (!sources_.empty()) {
            const ClosestPoints points(closest(), geometry_.spacing());
            std::int32_t source = sources_.data()[points.of.componentView(0).offset(x, y, z)];
            source = points.nearestAround(source, x, y, z);
            const float distance = std::sqrt(points.squaredDistance(source, x, y, z));
            if (distance > exactBand * std::max({points.sx, points.sy, points.sz}))
                return distance;
        }
        const NearestTriangle::Found found = nearest_.to(positionOf(x, y, z), start);
        start = found.triangle;
        return static_cast<float>(std::sqrt(found.squaredDistance));
    }

private:
    /// How far from the surface distances are exact, in the largest spacing.
    static constexpr float exactBand = 5;
    /// How far from its voxel a point counts as beside it, in voxels along each axis.
    static constexpr double reach = 1.5;

    FieldView<const float> closest() const { return {storage_.data(), size_}; }
    Vec3 positionOf(int x, int y, int z) const { return centerOfVoxel(geometry_, x, y, z); }

    /// Else voxels at the grid's edge could be nearest to a point that no voxel is beside.
    bool liesInside(const std::vector<Vec3>& points) const {
        return std::ranges::all_of(points, [&](const Vec3& p) {
            return p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x <= size_.x - 1 && p.y <= size_.y - 1 &&
                   p.z <= size_.z - 1;
        });
    }

    /// Voxels in the boxes around triangles, one voxel larger.
    void mark(const TriangleMesh& mesh, const std::vector<Vec3>& points,
              std::vector<std::uint8_t>& beside) const {
        const VolumeView<std::uint8_t> marks(beside.data(), size_);
        for (const auto& t : mesh.triangles) {
            Bounds around;
            for (const std::uint32_t corner : t)
                around.add(points[corner]);
            for (int axis = 0; axis < 3; ++axis) {
                around.low[axis] = std::floor(around.low[axis]) - 1;
                around.high[axis] = std::ceil(around.high[axis]) + 1;
            }
            const VoxelBox box = boxBetween(around.low, around.high, size_);
            for (int z = box.z; z < box.z + box.size.z; ++z)
                for (int y = box.y; y < box.y + box.size.y; ++y)
                    std::fill_n(marks.row(y, z) + box.x, box.size.x, std::uint8_t{1});
        }
    }

    void findBeside(const std::vector<std::uint8_t>& beside, const ExecContext& ctx) {
        overSlabs(size_.z, 0, ctx, [&](int from, int planes) {
            parallelFor(ctx, planes, 1, [&](int begin, int end) {
                for (int z = from + begin; z < from + end; ++z)
                    findBesideInPlane(beside, z, ctx);
            });
        });
    }

    void findBesideInPlane(const std::vector<std::uint8_t>& beside, int z, const ExecContext& ctx) {
        const FieldView<float> points(storage_.data(), size_);
        const VolumeView<const std::uint8_t> marks(beside.data(), size_);
        std::uint32_t start = 0;
        for (int y = 0; y < size_.y; ++y) {
            ctx.throwIfCancelled();
            for (int x = 0; x < size_.x; ++x) {
                const std::size_t here = marks.offset(x, y, z);
                points.u[here] = NAN;
                if (!marks.data[here])
                    continue;
                const auto found = nearest_.to(positionOf(x, y, z), start);
                start = found.triangle;
                const Vec3 p = geometry_.physicalToIndex(found.point);
                if (std::abs(p.x - x) > reach || std::abs(p.y - y) > reach ||
                    std::abs(p.z - z) > reach)
                    continue;
                points.u[here] = static_cast<float>(p.x);
                points.v[here] = static_cast<float>(p.y);
                points.w[here] = static_cast<float>(p.z);
            }
        }
    }

    const Geometry& geometry_;
    NearestTriangle nearest_;
    Size3 size_;
    Buffer<float> storage_;        ///< closest points in voxels; empty: every voxel searches
    Buffer<std::int32_t> sources_; ///< the voxel with the nearest of them
};

void requireClosed(const TriangleMesh& mesh) {
    const MeshMeasures m = measure(mesh);
    if (mesh.triangles.empty())
        throw ComputeError("the surface has no triangles");
    if (m.rimEdges > 0)
        throw ComputeError(fmt::format("the surface is open: {} of its {} edges belong to only "
                                       "one triangle; a closed one is needed to tell inside from "
                                       "outside",
                                       m.rimEdges, m.edges));
    if (m.badEdges > 0)
        throw ComputeError(fmt::format("{} of the surface's {} edges belong to more than two "
                                       "triangles or to two of opposite orientation; inside can't "
                                       "be told from outside",
                                       m.badEdges, m.edges));
}

} // namespace

void signedDistanceOfMesh(const TriangleMesh& mesh, const Geometry& geometry, VolumeView<float> phi,
                          const ExecContext& ctx) {
    if (phi.size != geometry.size())
        throw ComputeError("the signed distance needs a volume on its grid");
    requireClosed(mesh);
    const Crossings crossings(mesh, geometry);
    const Distances distances(mesh, geometry, crossings.points(), ctx);
    const Size3 size = phi.size;
    const auto fillPlane = [&](std::size_t& inside, int z) {
        for (int y = 0; y < size.y; ++y) {
            ctx.throwIfCancelled();
            const auto& line = crossings.line(y, z);
            std::size_t next = 0;
            int winding = 0;
            std::uint32_t start = 0;
            for (int x = 0; x < size.x; ++x) {
                while (next < line.size() && line[next].x < x)
                    winding += line[next++].turn;
                const float distance = distances.at(x, y, z, start);
                phi(x, y, z) = winding != 0 ? -distance : distance;
                inside += winding != 0;
            }
        }
    };
    std::size_t inside = 0;
    overSlabs(size.z, 0.5, ctx, [&](int from, int planes) {
        inside += sumOverPlanes({size.x, size.y, planes}, ctx, std::size_t{0},
                                [&](std::size_t& part, int z) { fillPlane(part, from + z); });
    });
    if (inside == 0 || inside == phi.voxels())
        throw ComputeError(inside == 0
                               ? "no voxel's center lies inside the surface: the grid is "
                                 "too coarse or lies elsewhere"
                               : "all voxels lie inside the surface: the grid is too small");
}

Geometry gridAround(const TriangleMesh& mesh, double spacing, double margin,
                    std::size_t maxVoxels) {
    if (mesh.triangles.empty())
        throw ComputeError("the surface has no triangles");
    Bounds bounds;
    for (const auto& triangle : mesh.triangles)
        for (const std::uint32_t index : triangle)
            bounds.add(pointOf(mesh, index));
    const auto& [low, high] = bounds;
    double counts[3];
    for (int axis = 0; axis < 3; ++axis)
        counts[axis] = std::ceil((high[axis] - low[axis] + 2 * margin) / spacing) + 1;
    for (const double count : counts)
        if (!(count <= maxVoxelsAlong))
            throw ComputeError(fmt::format(
                "the surface reaches over {:.4g} x {:.4g} x {:.4g} mm, {:.0f} voxels "
                "of {:.3g} mm along an axis, where {} are the most: does one of its "
                "points lie far from the others? Else choose a larger spacing",
                high.x - low.x, high.y - low.y, high.z - low.z, count, spacing, maxVoxelsAlong));
    if (!(counts[0] * counts[1] * counts[2] <= static_cast<double>(maxVoxels)))
        throw ComputeError(
            fmt::format("the surface takes {:.3g} x {:.3g} x {:.3g} voxels of {:.3g} mm, more than "
                        "{}; choose a larger spacing",
                        counts[0], counts[1], counts[2], spacing, maxVoxels));
    const Size3 size{static_cast<int>(counts[0]), static_cast<int>(counts[1]),
                     static_cast<int>(counts[2])};
    Vec3 origin;
    for (int axis = 0; axis < 3; ++axis)
        origin[axis] =
            0.5 * (low[axis] + high[axis]) - 0.5 * spacing * static_cast<double>(size[axis] - 1);
    return Geometry(size, {spacing, spacing, spacing}, origin);
}

} // namespace systole
