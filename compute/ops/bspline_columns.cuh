// How a warp marches along z over the voxels of a row: shared by the kernels that use a B-spline's
// values where they arise. For each plane of control points the warp sums over y into a row of
// shared memory, each point once, and each thread over x into one value for each of its voxels;
// four of these, kept in registers, are what a tile of voxels along z needs.
#pragma once

#include "compute/ops/bspline_device.cuh"

#include <algorithm>

namespace systole::bspline {

/// Neighbors along x that a thread computes in the field's kernel: it stores both at once.
inline constexpr int voxelsOfPair = 2;

/// Control points that a warp with so many voxels a thread reads from its row: most with tiles of
/// one voxel. A thread reads one more than its voxels depend on.
constexpr int maxPointsOfWarp(int voxels) { return 32 * voxels + 4; }

/// Control points along x that a thread's neighboring voxels depend on, in at most two tiles.
constexpr int pointsOfThread(int voxels) { return voxels == 1 ? 4 : 5; }

/// A plane of control points: four loads a component for the sum over y, which a thread stores, and
/// the reads for the one over x.
constexpr KernelCost planeCost(int voxels) {
    const double sums = voxels;
    return {.multiply = 3 + 3 * sums,
            .fusedMultiplyAdd = 9 + 3 * (pointsOfThread(voxels) - 1) * sums,
            .integer = 24,
            .globalLoads = 12,
            .sharedAccesses = 3 + 3.0 * pointsOfThread(voxels)};
}

/// The launch, and the tiles along z of each thread.
struct ColumnsShape {
    LaunchShape shape;
    int tiles, voxels;

    /// `ofThread` voxels along x, 1 or 2, and about `planes` along z: each march begins with three
    /// planes of control points more than it has tiles.
    ColumnsShape(const ControlGrid& grid, int rows, int ofThread, int planes)
        : tiles(std::max(1, planes / grid.tile.z)), voxels(ofThread) {
        const Size3 size = grid.image;
        shape =
            gpu::columnsOver({gpu::divideUp(size.x, voxels), size.y, grid.tiles().z}, tiles, rows);
        shape.sharedBytes =
            static_cast<std::size_t>(rows * 3 * maxPointsOfWarp(voxels)) * sizeof(float);
    }
    /// Cost of a thread, with the cost of what it does for its neighbors along x.
    KernelCost cost(Size3 size, const KernelCost& neighbors) const {
        return gpu::perThread(shape, static_cast<double>(size.voxels()) / voxels, neighbors,
                              (tiles + 3.0) * planeCost(voxels) + KernelCost{.integer = 60});
    }
};

#ifdef __CUDACC__

/// One thread's march; all threads of a warp make it together. With FetchAhead the points of the
/// next plane are on their way while a tile is written, which takes 12 more registers.
template <int Voxels, bool FetchAhead>
class ColumnMarch {
public:
    static constexpr int pointsOfRow = maxPointsOfWarp(Voxels), span = pointsOfThread(Voxels);

    __device__ ColumnMarch(const Points& p, const WeightConstants& weights, Size3 size)
        : p_(p), size_(size) {
        extern __shared__ float rows[];
        row_ = rows + threadIdx.y * (3 * pointsOfRow);
        const int begin = static_cast<int>(blockIdx.x) * gpu::tileX * Voxels;
        x_ = begin + static_cast<int>(threadIdx.x) * Voxels;
        y_ = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
        // Counted from the beginning of the first tile.
        const int fromX = begin + p.lead.x, fromY = y_ + p.lead.y;
        const int i0 = fromX / p.tile.x, j0 = fromY / p.tile.y;
        const int last = min(fromX + gpu::tileX * Voxels, size.x + p.lead.x) - 1;
        const int inside = min(x_, size.x - Voxels) + p.lead.x, i = inside / p.tile.x;
        points_ = last / p.tile.x - i0 + 4;
        first_ = i - i0;
        lowest_ = i0 + p.count.x * j0;
        wy_ = weights.y.of[fromY - j0 * p.tile.y];
#pragma unroll
        for (int v = 0; v < Voxels; ++v) {
            const int of = (inside + v) / p.tile.x;
            const float4 w = weights.x.of[inside + v - of * p.tile.x];
            const bool next = of > i; // this voxel lies in the next tile after the first voxel's
            const float four[] = {w.x, w.y, w.z, w.w};
#pragma unroll
            for (int l = 0; l < span; ++l)
                wx_[v][l] = next ? (l > 0 ? four[l - 1] : 0) : (l < 4 ? four[l] : 0);
        }
        // Read with a weight of zero.
        if (threadIdx.x < 3)
            row_[static_cast<int>(threadIdx.x) * pointsOfRow + points_] = 0;
    }

    /// Calls body(i, x, y, z, values) for the voxels of this column in tiles first … end − 1;
    /// values[component][neighbor].
    template <typename Body>
    __device__ void run(const WeightConstants& weights, int first, int end, const Body& body) {
        float a[3][Voxels] = {}, b[3][Voxels], c[3][Voxels], d[3][Voxels];
        // Loaded together: a march begins with one wait, not with three.
        Point before[2];
        fetch(first, before[0], end);
        fetch(first + 1, before[1], end);
        fetch(first + 2, ahead_, end);
        sumPlane(first, before[0], b);
        sumPlane(first + 1, before[1], c);
        sumPlane(first + 2, ahead_, d);
        fetch(first + 3, ahead_, end);
        const std::size_t plane = std::size_t(size_.x) * size_.y;
        std::size_t i =
            x_ + std::size_t(size_.x) * y_ + plane * max(first * p_.tile.z - p_.lead.z, 0);
        for (int k = first; k < end; ++k) {
#pragma unroll
            for (int n = 0; n < 3 * Voxels; ++n) {
                const int of = n / Voxels, v = n % Voxels;
                a[of][v] = b[of][v];
                b[of][v] = c[of][v];
                c[of][v] = d[of][v];
            }
            sumPlane(k + 3, ahead_, d);
            fetch(k + 4, ahead_, end);
            const int z = k * p_.tile.z - p_.lead.z, end = min(p_.tile.z, size_.z - z);
            for (int t = max(-z, 0); t < end; ++t, i += plane) {
                const float4 w = weights.z.of[t];
                float values[3][Voxels];
#pragma unroll
                for (int n = 0; n < 3 * Voxels; ++n) {
                    const int of = n / Voxels, v = n % Voxels;
                    values[of][v] = weighted(w, a[of][v], b[of][v], c[of][v], d[of][v]);
                }
                if (x_ < size_.x)
                    body(i, x_, y_, z + t, values);
            }
        }
    }

private:
    /// A control point of the warp and its three neighbors along y.
    struct Point {
        float of[3][4];
    };
    /// Starts the loads of a plane with FetchAhead: a point by each thread, the first 32 of the
    /// warp.
    __device__ void fetch(int k, Point& point, int end) const {
        if constexpr (FetchAhead)
            if (static_cast<int>(threadIdx.x) < points_ && k < end + 3)
                load(static_cast<int>(threadIdx.x), k, point);
    }
    __device__ void load(int i, int k, Point& point) const {
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            const float* const from = p_.of[c] + (lowest_ + i + p_.plane() * k);
#pragma unroll
            for (int m = 0; m < 4; ++m)
                point.of[c][m] = from[m * p_.row()];
        }
    }
    __device__ void store(int i, const Point& point) const {
#pragma unroll
        for (int c = 0; c < 3; ++c)
            row_[c * pointsOfRow + i] =
                weighted(wy_, point.of[c][0], point.of[c][1], point.of[c][2], point.of[c][3]);
    }
    /// Sum over x and y of plane k, of which `point` was fetched.
    __device__ void sumPlane(int k, const Point& point, float (&sum)[3][Voxels]) const {
        __syncwarp(); // the sums of the plane before were read
        int i = static_cast<int>(threadIdx.x);
        if constexpr (FetchAhead) {
            if (i < points_)
                store(i, point);
            i += gpu::tileX; // where tiles have few voxels
        }
#pragma unroll 1
        for (; i < points_; i += gpu::tileX) {
            Point other;
            load(i, k, other);
            store(i, other);
        }
        __syncwarp();
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            const float* const from = row_ + c * pointsOfRow + first_;
#pragma unroll
            for (int v = 0; v < Voxels; ++v)
                sum[c][v] = wx_[v][0] * from[0];
#pragma unroll
            for (int l = 1; l < span; ++l) {
                const float q = from[l];
#pragma unroll
                for (int v = 0; v < Voxels; ++v)
                    sum[c][v] = fmaf(wx_[v][l], q, sum[c][v]);
            }
        }
    }

    const Points& p_;
    Size3 size_;
    float* row_; ///< the warp's sums over y: [component][point]
    int x_, y_;
    int points_; ///< points of the warp along x
    int first_;  ///< first point of this thread's voxels among them
    int lowest_; ///< offset of the warp's first point in a plane
    float4 wy_;
    float wx_[Voxels][span];
    Point ahead_; ///< point of the next plane
};

/// The march of this thread's column in its `tiles` tiles; all threads of a block must call it.
template <int Voxels, bool FetchAhead, typename Body>
__device__ void alongColumn(const Points& p, const WeightConstants& weights, Size3 size, int tiles,
                            const Body& body) {
    if (static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) >= size.y)
        return; // a whole warp
    const int first = static_cast<int>(blockIdx.z) * tiles;
    ColumnMarch<Voxels, FetchAhead>(p, weights, size)
        .run(weights, first, min(first + tiles, p.count.z - 3), body);
}

#endif

} // namespace systole::bspline
