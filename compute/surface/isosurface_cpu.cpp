#include "compute/core/error.h"
#include "compute/ops/over_voxels.h"
#include "compute/surface/isosurface.h"
#include "compute/surface/isosurface_frame.h"
#include "compute/surface/isosurface_math.h"
#include "compute/surface/isosurface_tables.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr std::size_t allInside = 255;

/// Marks voxels, counts points and triangles by row, and writes them where the counts say.
class Extraction {
public:
    Extraction(VolumeView<const float> phi, const Geometry& geometry, SurfaceEdge edge,
               const ExecContext& ctx)
        : values_{phi, edge == SurfaceEdge::Closed ? 1 : 0}
        , frame_(geometry)
        , ctx_(ctx)
        , size_(values_.size())
        , storage_(ctx.pool->acquire<std::uint8_t>(size_.voxels(), "crossings of a surface"))
        , codes_(storage_.data(), size_)
        , firstPoint_(rowIndex(size_, 0, size_.z) + 1)
        , firstTriangle_(rowIndex(size_, 0, size_.z) + 1) {}

    TriangleMesh run() {
        const Size3 cubes{size_.x - 1, size_.y - 1, size_.z - 1};
        overItems(static_cast<std::size_t>(size_.z), 1, ctx_,
                  [this](std::size_t z) { markPlane(static_cast<int>(z)); });
        overRows(cubes, 1, ctx_, [this](int y, int z) { countTriangles(y, z); });
        accumulate(firstPoint_);
        accumulate(firstTriangle_);
        if (firstPoint_.back() > std::numeric_limits<std::uint32_t>::max())
            throw ComputeError("the surface has more than 2^32 points");
        mesh_.points.resize(firstPoint_.back());
        mesh_.normals.resize(firstPoint_.back());
        mesh_.triangles.resize(firstTriangle_.back());
        overRows(size_, 1, ctx_, [this](int y, int z) { writePoints(y, z); });
        overRows(cubes, 1, ctx_, [this](int y, int z) { writeTriangles(y, z); });
        return std::move(mesh_);
    }

private:
    /// Counts after their row become the numbers of all before it.
    static void accumulate(std::vector<std::size_t>& counts) {
        std::size_t sum = 0;
        for (std::size_t& count : counts)
            sum += std::exchange(count, sum);
    }

    /// Whether the voxels of a row are inside, 1 or 0: never around the grid and beyond its end.
    void sidesOf(int y, int z, std::vector<std::uint8_t>& sides) const {
        sides.assign(static_cast<std::size_t>(size_.x) + 1, 0);
        const int j = y - values_.layer, k = z - values_.layer;
        const Size3 n = values_.phi.size;
        if (j < 0 || k < 0 || j >= n.y || k >= n.z)
            return;
        const float* const row = values_.phi.row(j, k);
        std::uint8_t* const out = sides.data() + values_.layer;
        for (int x = 0; x < n.x; ++x)
            out[x] = row[x] < 0 ? 1 : 0;
    }

    /// iso::codeOf() for the voxels of a plane, row by row, without its checks at every voxel.
    void markPlane(int z) {
        ctx_.throwIfCancelled();
        std::vector<std::uint8_t> here, ahead, above;
        sidesOf(0, z, here);
        for (int y = 0; y < size_.y; ++y) {
            sidesOf(y + 1, z, ahead);
            sidesOf(y, z + 1, above);
            const int lastY = y + 1 == size_.y ? 1 : 0, lastZ = z + 1 == size_.z ? 1 : 0;
            std::uint8_t* const codes = codes_.row(y, z);
            std::size_t points = 0;
            for (std::size_t x = 0; x < static_cast<std::size_t>(size_.x); ++x) {
                const int in = here[x];
                const int code =
                    (x + 1 < static_cast<std::size_t>(size_.x) ? in ^ here[x + 1] : 0) |
                    ((in ^ ahead[x]) & (1 - lastY)) << 1 | ((in ^ above[x]) & (1 - lastZ)) << 2 |
                    in << 3;
                codes[x] = static_cast<std::uint8_t>(code);
                points += static_cast<std::size_t>(iso::pointsOf(code));
            }
            firstPoint_[rowIndex(size_, y, z)] = points;
            here.swap(ahead);
        }
    }

    /// Calls body(x, case) for the cubes of a row that the surface crosses.
    template <typename Body>
    void overCubes(int y, int z, const Body& body) const {
        const std::uint8_t* const rows[4] = {codes_.row(y, z), codes_.row(y + 1, z),
                                             codes_.row(y, z + 1), codes_.row(y + 1, z + 1)};
        const auto sidesAt = [&](int x) {
            std::size_t sides = 0;
            for (std::size_t r = 0; r < 4; ++r)
                sides |= static_cast<std::size_t>(rows[r][x] / iso::isInside) << 2 * r;
            return sides;
        };
        std::size_t low = sidesAt(0);
        for (int x = 0; x + 1 < size_.x; ++x) {
            const std::size_t high = sidesAt(x + 1);
            const std::size_t sides = low | high << 1;
            if (sides != 0 && sides != allInside)
                body(x, iso::cubeCases[sides]);
            low = high;
        }
    }

    void countTriangles(int y, int z) {
        ctx_.throwIfCancelled();
        std::size_t triangles = 0;
        overCubes(y, z, [&](int, const iso::CubeCase& cube) {
            triangles += static_cast<std::size_t>(cube.triangles);
        });
        firstTriangle_[rowIndex(size_, y, z)] = triangles;
    }

    void writePoints(int y, int z) {
        ctx_.throwIfCancelled();
        const std::uint8_t* const codes = codes_.row(y, z);
        std::size_t number = firstPoint_[rowIndex(size_, y, z)];
        for (int x = 0; x < size_.x; ++x)
            for (int axis = 0; axis < 3; ++axis)
                if ((codes[x] >> axis & 1) != 0) {
                    const iso::SurfacePoint point = iso::pointOn(values_, x, y, z, axis);
                    mesh_.points[number] = frame_.pointOf(point);
                    mesh_.normals[number] = frame_.normalOf(point);
                    ++number;
                }
    }

    void writeTriangles(int y, int z) {
        ctx_.throwIfCancelled();
        std::size_t next = firstTriangle_[rowIndex(size_, y, z)];
        if (next == firstTriangle_[rowIndex(size_, y, z) + 1])
            return;
        // The four rows of the cubes, by bit 0: y, bit 1: z; and the points before voxel x in each.
        const std::uint8_t* rows[4];
        std::size_t points[4];
        for (int r = 0; r < 4; ++r) {
            rows[r] = codes_.row(y + (r & 1), z + (r >> 1));
            points[r] = firstPoint_[rowIndex(size_, y + (r & 1), z + (r >> 1))];
        }
        int passed = 0; // voxels whose points are counted
        overCubes(y, z, [&](int x, const iso::CubeCase& cube) {
            for (; passed < x; ++passed)
                for (std::size_t r = 0; r < 4; ++r)
                    points[r] += static_cast<std::size_t>(iso::pointsOf(rows[r][passed]));
            for (std::size_t t = 0; t < static_cast<std::size_t>(cube.triangles); ++t) {
                std::array<std::uint32_t, 3>& triangle = mesh_.triangles[next++];
                for (std::size_t corner = 0; corner < 3; ++corner) {
                    const int edge = cube.edges[3 * t + corner], low = iso::lowCorner(edge);
                    const std::uint8_t* const row = rows[low >> 1];
                    // Points of the next voxel follow those of this one.
                    const int before = (low & 1) != 0 ? iso::pointsOf(row[x]) : 0;
                    triangle[corner] = static_cast<std::uint32_t>(
                        points[low >> 1] + static_cast<std::size_t>(before) +
                        static_cast<std::size_t>(iso::pointsBefore(row[x + (low & 1)], edge / 4)));
                }
                if (frame_.mirrored())
                    std::swap(triangle[1], triangle[2]);
            }
        });
    }

    iso::Values values_;
    iso::SurfaceFrame frame_;
    const ExecContext& ctx_;
    Size3 size_;
    Buffer<std::uint8_t> storage_;
    VolumeView<std::uint8_t> codes_;
    /// Counts of each row, then sums of the counts of all rows before it.
    std::vector<std::size_t> firstPoint_, firstTriangle_;
    TriangleMesh mesh_;
};

} // namespace

TriangleMesh isosurface(VolumeView<const float> phi, const Geometry& geometry, SurfaceEdge edge,
                        const ExecContext& ctx) {
    if (phi.size != geometry.size())
        throw ComputeError("an isosurface needs a volume on its grid");
    const ScopedSpan span(ctx.profile, "isosurface", "marching cubes",
                          6 * static_cast<double>(phi.voxels()));
    return Extraction(phi, geometry, edge, ctx).run();
}

} // namespace systole
