#include "compute/cuda/early_launch.cuh"
#include "compute/cuda/kernel_support.cuh"
#include "compute/ops/fill_unknown_cuda.cuh"

#include <utility>

namespace systole::gpu {
namespace {

constexpr int planesPerThread = 4;
/// Levels of at most so many blocks are filled by one launch, a thread block for each frame.
constexpr std::size_t fewBlocks = 32 * 32 * 32;

__device__ VolumeView<float> frameOf(const FillStep& s, int frame) {
    return {s.frames.data + static_cast<std::size_t>(frame) * s.frames.volume(), s.frames.size};
}
__device__ float* meansOf(const FillStep& s, const fill::Blocks& blocks, int frame) {
    return s.scratch + static_cast<std::size_t>(frame) * blocks.total;
}

__global__ void layerKernel(const __grid_constant__ FillStep s) {
    waitForKernelBefore();
    if (!*s.wanted)
        return;
    const Column c = columnOf(s.known.size, planesPerThread);
    for (int z = c.begin; c.inGrid && z < c.end; ++z) {
        bool filled = s.known(c.x, c.y, z);
        if (!filled)
            for (int n = 0; n < s.frames.count; ++n) {
                const VolumeView<float> frame = frameOf(s, n);
                const float value = fill::meanOfNeighbors(s.known, frame, c.x, c.y, z);
                if (value == fill::nothing)
                    break;
                frame(c.x, c.y, z) = value;
                filled = true;
            }
        s.next(c.x, c.y, z) = filled;
    }
}

__device__ void fillBlock(const FillStep& s, const fill::Blocks& blocks, int level, int frame,
                          std::size_t block) {
    float* const means = meansOf(s, blocks, frame);
    const VolumeView<float> out = blocks.view(means, level);
    const auto x = static_cast<int>(block % static_cast<std::size_t>(out.size.x));
    const auto row = static_cast<int>(block / static_cast<std::size_t>(out.size.x));
    const int y = row % out.size.y, z = row / out.size.y;
    out.data[block] = level == 0 ? fill::meanOfVoxels(s.known, frameOf(s, frame), x, y, z)
                                 : fill::meanOfBlocks(blocks.view(means, level - 1), x, y, z);
}

__global__ void blocksKernel(const __grid_constant__ FillStep s,
                             const __grid_constant__ fill::Blocks blocks, int level) {
    waitForKernelBefore();
    if (!*s.wanted)
        return;
    const std::size_t block = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (block < blocks.size[level].voxels())
        fillBlock(s, blocks, level, static_cast<int>(blockIdx.y), block);
}

/// All levels from `first` on.
__global__ void lastBlocksKernel(const __grid_constant__ FillStep s,
                                 const __grid_constant__ fill::Blocks blocks, int first) {
    waitForKernelBefore();
    if (!*s.wanted)
        return;
    for (int level = first; level < blocks.levels; ++level) {
        for (std::size_t block = threadIdx.x; block < blocks.size[level].voxels();
             block += blockDim.x)
            fillBlock(s, blocks, level, static_cast<int>(blockIdx.x), block);
        __syncthreads();
    }
}

__global__ void fillKernel(const __grid_constant__ FillStep s,
                           const __grid_constant__ fill::Blocks blocks) {
    waitForKernelBefore();
    if (!*s.wanted)
        return;
    const Column c = columnOf(s.known.size, planesPerThread);
    for (int z = c.begin; c.inGrid && z < c.end; ++z)
        for (int n = 0; n < s.frames.count && !s.known(c.x, c.y, z); ++n)
            frameOf(s, n)(c.x, c.y, z) =
                fill::valueOfBlocks(blocks, meansOf(s, blocks, n), c.x, c.y, z);
}

} // namespace

void fillUnknown(const FillStep& step, LaunchLog& log) {
    // No bytes are declared: reads and writes depend on which voxels are known.
    const LaunchShape shape = columnsOver(step.known.size, planesPerThread);
    FillStep s = step;
    for (int layer = 0; layer < fill::layers; ++layer) {
        launchEarly(log, {"fill a layer"}, layerKernel, shape, s);
        std::swap(s.known, s.next);
    }
    const fill::Blocks blocks(s.known.size);
    const auto frames = static_cast<unsigned>(s.frames.count);
    int level = 0;
    for (; level < blocks.levels && blocks.size[level].voxels() > fewBlocks; ++level) {
        LaunchShape over = threadsOver(blocks.size[level].voxels());
        over.grid.y = frames;
        launchEarly(log, {"means of blocks"}, blocksKernel, over, s, blocks, level);
    }
    launchEarly(log, {"means of the last blocks"}, lastBlocksKernel, {dim3(frames), dim3(1024)}, s,
                blocks, level);
    launchEarly(log, {"fill by blocks"}, fillKernel, shape, s, blocks);
}

} // namespace systole::gpu
