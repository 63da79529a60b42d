// The separable variant of the field: whole warps store along x while they march along z.
#include "compute/ops/bspline_columns.cuh"

#include <cstdint>

namespace systole::bspline {
namespace {

/// Most threads of a block, which leave each the registers that it needs.
constexpr int maxColumnThreads = bsplineColumns.blocks.last;

/// Writes past L1, which keeps the control points.
__device__ inline void storeColumn(float* to, const float (&values)[1]) { __stcs(to, values[0]); }
__device__ inline void storeColumn(float* to, const float (&values)[2]) {
    __stcs(reinterpret_cast<float2*>(to), float2{values[0], values[1]});
}

/// Asks L2 for `count` floats; nothing where a device can't do it by a single instruction.
__device__ inline void prefetch(const float* from, std::size_t count) {
#if __CUDA_ARCH__ >= 900
    constexpr std::size_t unit = 16, most = 16384; // bytes
    std::size_t at = (reinterpret_cast<std::size_t>(from) + unit - 1) / unit * unit;
    const std::size_t end = reinterpret_cast<std::size_t>(from + count) / unit * unit;
#pragma unroll 1
    for (; at < end; at += most) {
        const auto bytes = static_cast<unsigned>(min(end - at, most));
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(at), "r"(bytes) : "memory");
    }
#endif
}

/// Blocks that ask for the control points of the next blocks along z, and from which size of the
/// grid on. A read from memory between writes holds them up, so that reads had better come in one
/// go. Measured on an H200: with 22 MB of points a tenth less time, with 9 MB nothing.
constexpr unsigned askingBlocks = 96;
constexpr std::size_t bytesToAskFor = std::size_t{16} << 20;

/// One part of the planes that the blocks of the next `tiles` tiles along z read and these don't;
/// the first blocks ask for their own, too.
__device__ inline void askForNext(const Points& p, int tiles) {
    const unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
    const unsigned asking = min(gridDim.x * gridDim.y, askingBlocks);
    if (block >= asking || threadIdx.x + threadIdx.y > 0)
        return;
    const auto chunk = static_cast<int>(blockIdx.z);
    const int from = chunk == 0 ? 0 : (chunk + 1) * tiles + 3;
    const int until = min((chunk + 2) * tiles + 3, p.count.z);
    if (from >= until)
        return;
    const std::size_t plane = p.plane(), all = plane * (until - from);
    const std::size_t first = all * block / asking, last = all * (block + 1) / asking;
    for (const float* const points : p.of)
        prefetch(points + plane * from + first, last - first);
}

template <int Voxels>
__global__ void __launch_bounds__(maxColumnThreads)
    columnsKernel(const __grid_constant__ Points p, const __grid_constant__ WeightConstants weights,
                  FieldView<float> out, int tiles, bool asks) {
    if (asks)
        askForNext(p, tiles);
    alongColumn<Voxels, true>(p, weights, out.size, tiles,
                              [&](std::size_t i, int, int, int, const float(&values)[3][Voxels]) {
                                  storeColumn(out.u + i, values[0]);
                                  storeColumn(out.v + i, values[1]);
                                  storeColumn(out.w + i, values[2]);
                              });
}

/// Planes of voxels of a march: few enough for eight warps on each of 132 multiprocessors.
int planesOfMarch(Size3 size, int voxels) {
    constexpr int most = 32;
    const std::size_t threads = 132 * 256;
    return static_cast<int>(std::clamp<std::size_t>(
        size.voxels() / (threads * static_cast<std::size_t>(voxels)), 1, most));
}

/// Neighbors are stored at once where all rows begin at a multiple of their bytes.
bool storesPairs(const FieldView<float>& field) {
    const auto aligned = [](const float* values) {
        return reinterpret_cast<std::uintptr_t>(values) % sizeof(float2) == 0;
    };
    return field.size.x % voxelsOfPair == 0 && aligned(field.u) && aligned(field.v) &&
           aligned(field.w);
}

template <int Voxels>
void launchColumns(const FieldLaunch& f, const KernelCost& cost, LaunchLog& log) {
    const Size3 size = f.field.size;
    const ControlGrid& grid = f.points.grid;
    const ColumnsShape columns(grid, f.rows(log), Voxels, planesOfMarch(size, Voxels));
    const bool asks = 3 * sizeof(float) * f.points.values.size.voxels() >= bytesToAskFor;
    log.launch(f.note(21 + 42.0 / grid.tile.z, columns.cost(size, cost)), columnsKernel<Voxels>,
               columns.shape, Points(f.points), WeightConstants(grid), f.field, columns.tiles,
               asks);
}

constexpr KernelCost columnVoxel{
    .multiply = 3, .fusedMultiplyAdd = 9, .integer = 16, .globalStores = 3, .constantLoads = 1};

} // namespace

const KernelCost columnPair{
    .multiply = 6, .fusedMultiplyAdd = 18, .integer = 16, .globalStores = 3, .constantLoads = 1};

void launchColumns(const FieldLaunch& f, LaunchLog& log) {
    if (storesPairs(f.field))
        launchColumns<voxelsOfPair>(f, columnPair, log);
    else
        launchColumns<1>(f, columnVoxel, log);
}

} // namespace systole::bspline
