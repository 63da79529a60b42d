// How a warp marches along z over the voxels of a row: shared by the kernels that use a B-spline's
// values where they arise. For each plane of control points the warp sums over y into a row of
// shared memory, each point once, and each thread over x into one value; four of these, kept in
// registers, are what a tile of voxels along z needs.
#pragma once

#include "compute/ops/bspline_device.cuh"

#include <algorithm>

namespace systole::bspline {

/// Control points that 32 voxels in a row depend on: most with tiles of one voxel.
inline constexpr int mostPointsOfWarp = 32 + 3;

/// A plane of control points: four loads a component for the sum over y, which a thread stores, and
/// four reads for the one over x.
inline constexpr KernelCost planeCost{
    .multiply = 6, .fusedMultiplyAdd = 18, .integer = 24, .globalLoads = 12, .sharedAccesses = 15};

/// The launch, and the tiles along z of each thread.
struct ColumnsShape {
    LaunchShape shape;
    int tiles;

    ColumnsShape(Size3 size, Size3 tile, int rows)
        // Each march begins with three planes more than it has tiles.
        : tiles(std::max(1, gpu::planesFor(size, 32) / tile.z)) {
        shape = gpu::columnsOver(size, tiles * tile.z, rows);
        shape.sharedBytes = static_cast<std::size_t>(rows) * 3 * mostPointsOfWarp * sizeof(float);
    }
    /// Of a thread, with the cost of a voxel.
    KernelCost cost(Size3 size, const KernelCost& voxel) const {
        return gpu::perThread(shape, static_cast<double>(size.voxels()), voxel,
                              (tiles + 3.0) * planeCost + KernelCost{.integer = 60});
    }
};

#ifdef __CUDACC__

/// A row of each warp's sums over y: [warp][component][point].
__device__ inline float* rowOfWarp() {
    extern __shared__ float rows[];
    return rows + threadIdx.y * (3 * mostPointsOfWarp);
}

/// Where a warp is: its row of voxels, its first control points, and its voxels' place among them.
struct Place {
    int x, y;
    bool inGrid;
    int i0, j0; ///< lowest control points of the warp's first voxel
    int points; ///< along x
    int lane;   ///< of this thread's voxel among them
    float4 wx, wy;

    __device__ Place(const Points& p, const WeightConstants& weights, Size3 size) {
        const int begin = static_cast<int>(blockIdx.x * tileX);
        x = begin + static_cast<int>(threadIdx.x);
        y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
        inGrid = x < size.x;
        const int last = min(begin + tileX, size.x) - 1, inside = min(x, size.x - 1);
        i0 = begin / p.tile.x;
        j0 = y / p.tile.y;
        points = last / p.tile.x - i0 + 4;
        const int i = inside / p.tile.x;
        lane = i - i0;
        wx = weights.x.of[inside - i * p.tile.x];
        wy = weights.y.of[y - j0 * p.tile.y];
    }
    static constexpr int tileX = gpu::tileX;
};

/// Sum over x and y of a plane of control points for this thread's voxel. All threads of the warp.
__device__ inline float3 planeSum(const Points& p, const Place& at, int k) {
    float* const row = rowOfWarp();
    __syncwarp(); // the sums of the plane before were read
    for (int i = static_cast<int>(threadIdx.x); i < at.points; i += Place::tileX) {
        const int lowest = p.offset(at.i0 + i, at.j0, k);
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            const float* const q = p.of[c] + lowest;
            row[c * mostPointsOfWarp + i] =
                weighted(at.wy, q[0], q[p.row()], q[2 * p.row()], q[3 * p.row()]);
        }
    }
    __syncwarp();
    const auto along = [&](int c) {
        const float* const q = row + c * mostPointsOfWarp + at.lane;
        return weighted(at.wx, q[0], q[1], q[2], q[3]);
    };
    return {along(0), along(1), along(2)};
}

/// Calls body(i, x, y, z, value) for the voxels of this thread's column in its `tiles` tiles; all
/// threads of a block must call it.
template <typename Body>
__device__ void alongColumn(const Points& p, const WeightConstants& weights, Size3 size, int tiles,
                            const Body& body) {
    if (static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) >= size.y)
        return; // a whole warp
    const Place at(p, weights, size);
    const int first = static_cast<int>(blockIdx.z) * tiles;
    const int end = min(first + tiles, p.count.z - 3);
    float3 a, b = planeSum(p, at, first), c = planeSum(p, at, first + 1),
              d = planeSum(p, at, first + 2);
    const std::size_t plane = std::size_t(size.x) * size.y;
    std::size_t i = at.x + std::size_t(size.x) * at.y + plane * first * p.tile.z;
    for (int k = first; k < end; ++k) {
        a = b;
        b = c;
        c = d;
        d = planeSum(p, at, k + 3);
        const int z = k * p.tile.z, voxels = min(p.tile.z, size.z - z);
        for (int t = 0; t < voxels; ++t, i += plane) {
            const float4 w = weights.z.of[t];
            if (at.inGrid)
                body(i, at.x, at.y, z + t,
                     float3{weighted(w, a.x, b.x, c.x, d.x), weighted(w, a.y, b.y, c.y, d.y),
                            weighted(w, a.z, b.z, c.z, d.z)});
        }
    }
}

#endif

} // namespace systole::bspline
