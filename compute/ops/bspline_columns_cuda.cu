// The separable form. A warp has 32 voxels of a row and marches along z. For each plane of control
// points it sums over y into a row of shared memory, each point once, and each thread over x into
// one value: four of these, kept in registers, are what a tile of voxels along z needs. Stores are
// whole warps along x.
#include "compute/ops/bspline_device.cuh"

#include <algorithm>

namespace systole::bspline {
namespace {

/// Control points that 32 voxels in a row depend on: most with tiles of one voxel.
constexpr int mostPointsOfWarp = 32 + 3;

/// A row of each warp's sums over y: [warp][component][point].
__device__ float* rowOfWarp() {
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
__device__ float3 planeSum(const Points& p, const Place& at, int k) {
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

__global__ void __launch_bounds__(1024)
    columnsKernel(const __grid_constant__ Points p, const __grid_constant__ WeightConstants weights,
                  FieldView<float> out, int tiles) {
    const Size3 size = out.size;
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
        const int voxels = min(p.tile.z, size.z - k * p.tile.z);
        for (int t = 0; t < voxels; ++t, i += plane) {
            const float4 w = weights.z.of[t];
            if (at.inGrid) {
                out.u[i] = weighted(w, a.x, b.x, c.x, d.x);
                out.v[i] = weighted(w, a.y, b.y, c.y, d.y);
                out.w[i] = weighted(w, a.z, b.z, c.z, d.z);
            }
        }
    }
}

/// A plane of control points: four loads a component for the sum over y, which a thread stores, and
/// four reads for the one over x.
constexpr KernelCost planeCost{
    .multiply = 6, .fusedMultiplyAdd = 18, .integer = 24, .globalLoads = 12, .sharedAccesses = 15};

} // namespace

const KernelCost columnVoxel{
    .multiply = 3, .fusedMultiplyAdd = 9, .integer = 6, .globalStores = 3, .constantLoads = 1};

void launchColumns(const FieldLaunch& f, LaunchLog& log) {
    const Size3 size = f.field.size, tile = f.points.grid.tile;
    const int rows = gpu::rowsOfBlock(log, bsplineFamily, f.variant);
    // Each march begins with three planes more than it has tiles.
    const int tiles = std::max(1, gpu::planesFor(size, 64) / tile.z);
    LaunchShape shape = gpu::columnsOver(size, tiles * tile.z, rows);
    shape.sharedBytes = static_cast<std::size_t>(rows) * 3 * mostPointsOfWarp * sizeof(float);
    const auto voxels = static_cast<double>(size.voxels());
    const double planes = tiles + 3.0;
    const KernelCost cost =
        gpu::perThread(shape, voxels, columnVoxel, planes * planeCost + KernelCost{.integer = 60});
    log.launch(f.note(21 + 42.0 / tile.z, cost), columnsKernel, shape, Points(f.points),
               WeightConstants(tile), f.field, tiles);
}

} // namespace systole::bspline
