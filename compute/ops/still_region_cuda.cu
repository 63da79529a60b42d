// The still region on the device: the counterpart of still_region.cpp.
#include "compute/cuda/early_launch.cuh"
#include "compute/ops/fill_unknown_cuda.cuh"
#include "compute/ops/quantile_math.h"
#include "compute/ops/still_region_cuda.cuh"

namespace systole::gpu {
namespace {

using namespace still;

constexpr int planesPerThread = 4;

/// The largest inverted key is above 0, and that of the lowest value.
__global__ void lowestKernel(const __grid_constant__ StillStep s) {
    waitForKernelBefore();
    const std::size_t count = s.fixed.voxels();
    unsigned fixed = 0, moving = 0;
    for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
         i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
        fixed = max(fixed, ~quantile::keyOf(s.fixed.data[i]));
        moving = max(moving, ~quantile::keyOf(s.moving.data[i]));
    }
    // The warps of a block are combined first: atomics of all warps on one word would take longer
    // than reading the frames.
    __shared__ unsigned ofWarp[2][32];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    fixed = warpMax(fixed);
    moving = warpMax(moving);
    if (lane == 0) {
        ofWarp[0][warp] = fixed;
        ofWarp[1][warp] = moving;
    }
    __syncthreads();
    if (warp < 2) {
        const unsigned ofBlock = warpMax(lane < warps ? ofWarp[warp][lane] : 0);
        if (lane == 0)
            atomicMax(&s.state->lowest[warp], ofBlock);
    }
}

__global__ void kindsKernel(const __grid_constant__ StillStep s) {
    waitForKernelBefore();
    const Column c = columnOf(s.fixed.size, planesPerThread);
    const float fixed = quantile::valueOf(~s.state->lowest[0]),
                moving = quantile::valueOf(~s.state->lowest[1]);
    for (int z = c.begin; c.inGrid && z < c.end; ++z)
        s.kinds(c.x, c.y, z) =
            static_cast<std::uint8_t>((isEmpty(s.fixed, fixed, c.x, c.y, z) ? emptyInFixed : 0) |
                                      (isEmpty(s.moving, moving, c.x, c.y, z) ? emptyInMoving : 0));
}

/// state->found becomes whether the region is still.
__global__ void edgeKernel(const __grid_constant__ StillStep s, GridSum room) {
    waitForKernelBefore();
    const Column c = columnOf(s.fixed.size, planesPerThread);
    int changed = 0, edge = 0;
    for (int z = c.begin; c.inGrid && z < c.end; ++z) {
        const std::uint8_t kind = s.kinds(c.x, c.y, z);
        changed += kind == emptyInFixed || kind == emptyInMoving ? 1 : 0;
        edge += isEdgeOfEmpty(s.kinds, c.x, c.y, z) ? 1 : 0;
    }
    double2 total;
    if (gridSum({static_cast<double>(changed), static_cast<double>(edge)}, room, total))
        s.state->found = isStill(total.x, total.y) ? 1 : 0;
}

__device__ void mark(const StillExtension& s, VolumeView<std::uint8_t> known, int x, int y, int z) {
    known(x, y, z) = isRecorded(s.kinds, x, y, z) ? 1 : 0;
    for (int n = 0; n < s.marks.levels; ++n) {
        const StillMarks::Level& level = s.marks.level[n];
        const int by[3] = {level.factor[0], level.factor[1], level.factor[2]};
        const Size3 size = s.kinds.size;
        const int voxel[3] = {x, y, z};
        int at[3];
        bool first = true; // the first of the voxels nearest to one of the level
        for (int axis = 0; axis < 3; ++axis) {
            at[axis] = voxel[axis] / by[axis];
            first = first && NearestVoxels(size[axis], by[axis], at[axis]).first == voxel[axis];
        }
        if (first)
            level.counts(at[0], at[1], at[2]) = counts(s.kinds, by, at[0], at[1], at[2]) ? 1 : 0;
    }
}

__global__ void markKernel(const __grid_constant__ StillExtension s,
                           VolumeView<std::uint8_t> known) {
    waitForKernelBefore();
    if (!s.state->found)
        return;
    const Column c = columnOf(known.size, planesPerThread);
    for (int z = c.begin; c.inGrid && z < c.end; ++z)
        mark(s, known, c.x, c.y, z);
}

__global__ void markBesideKernel(VolumeView<const std::uint8_t> kinds,
                                 VolumeView<std::uint8_t> counts) {
    waitForKernelBefore();
    const Column c = columnOf(kinds.size, planesPerThread);
    for (int z = c.begin; c.inGrid && z < c.end; ++z)
        counts(c.x, c.y, z) = countsBesideEmpty(kinds, c.x, c.y, z) ? 1 : 0;
}

__global__ void countedMaskKernel(const std::uint8_t* counts, const float* given, std::size_t count,
                                  float* mask) {
    waitForKernelBefore();
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i < count)
        mask[i] = !counts[i] ? 0.0f : given ? given[i] : 1.0f;
}

} // namespace

void findStillRegion(const StillStep& step, const GridSum& sum, LaunchLog& log) {
    const auto voxels = static_cast<double>(step.fixed.voxels());
    const LaunchShape shape = columnsOver(step.fixed.size, planesPerThread);
    constexpr unsigned blocks = 1024, threads = 256;
    launchEarly(log, {"lowest values", 8 * voxels}, lowestKernel, {dim3(blocks), dim3(threads)},
                step);
    launchEarly(log, {"empty voxels", 9 * voxels}, kindsKernel, shape, step);
    launchEarly(log, {"edge of empty voxels", voxels}, edgeKernel, shape, step, sum);
}

std::size_t stillRegionBlocks(Size3 size) { return blocksOf(columnsOver(size, planesPerThread)); }

void extendIntoStillRegion(const StillExtension& s, LaunchLog& log) {
    const Size3 size = s.frames.size;
    auto* const masks = reinterpret_cast<std::uint8_t*>(s.scratch + 2 * fill::Blocks(size).total);
    FillStep fill;
    fill.frames = s.frames;
    fill.known = {masks, size};
    fill.next = {masks + size.voxels(), size};
    fill.scratch = s.scratch;
    fill.wanted = &s.state->found;
    // Where nothing is still, nothing is written: no bytes are counted for that.
    launchEarly(log, {"still region"}, markKernel, columnsOver(size, planesPerThread), s,
                fill.known);
    fillUnknown(fill, log);
}

void markBesideStillRegion(VolumeView<const std::uint8_t> kinds, VolumeView<std::uint8_t> counts,
                           LaunchLog& log) {
    launchEarly(log, {"beside still region", 2 * static_cast<double>(kinds.voxels())},
                markBesideKernel, columnsOver(kinds.size, planesPerThread), kinds, counts);
}

void countedMask(VolumeView<const std::uint8_t> counts, const float* given, float* mask,
                 LaunchLog& log) {
    const std::size_t n = counts.voxels();
    launchEarly(log, {"mask of still region", (given ? 9.0 : 5.0) * static_cast<double>(n)},
                countedMaskKernel, threadsOver(n), counts.data, given, n, mask);
}

} // namespace systole::gpu
