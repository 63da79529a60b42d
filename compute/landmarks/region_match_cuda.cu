#include "compute/cuda/kernel_support.cuh"
#include "compute/landmarks/region_match.h"

#include <climits>

namespace systole {
namespace {

using sest::RegionMinimum;

constexpr int regionThreads = 128, warpThreads = 32, warps = regionThreads / warpThreads;

/// A value and its place: smaller values win, and among equals the first place.
struct Least {
    float value = RegionMinimum::none;
    int place = INT_MAX;

    __device__ void take(float v, int p) {
        if (v < value || (v == value && p < place)) {
            value = v;
            place = p;
        }
    }
};

/// The least of all threads of the block, for all of them.
__device__ Least minOfBlock(Least own, Least (&scratch)[warps]) {
    for (int apart = warpThreads / 2; apart > 0; apart /= 2)
        own.take(__shfl_xor_sync(~0u, own.value, apart), __shfl_xor_sync(~0u, own.place, apart));
    __syncthreads();
    if (threadIdx.x % warpThreads == 0)
        scratch[threadIdx.x / warpThreads] = own;
    __syncthreads();
    Least all = scratch[0];
    for (int warp = 1; warp < warps; ++warp)
        all.take(scratch[warp].value, scratch[warp].place);
    return all;
}

__device__ Voxel voxelOf(int place, Size3 size) {
    return {place % size.x, place / size.x % size.y, place / (size.x * size.y)};
}

/// One block per region.
__global__ void __launch_bounds__(regionThreads)
    minimumKernel(const float* squared, Size3 size, RegionMinimum* minima) {
    __shared__ Least scratch[warps];
    const int places = static_cast<int>(size.voxels()), thread = static_cast<int>(threadIdx.x);
    const float* const region = squared + std::size_t{blockIdx.x} * size.voxels();
    Least own;
    for (int i = thread; i < places; i += regionThreads)
        if (region[i] < RegionMinimum::none)
            own.take(region[i], i);
    const Least least = minOfBlock(own, scratch);
    if (least.place == INT_MAX) {
        if (thread == 0)
            minima[blockIdx.x] = {};
        return;
    }
    const Voxel winner = voxelOf(least.place, size);
    Least other;
    for (int i = thread; i < places; i += regionThreads) {
        const Voxel p = voxelOf(i, size);
        if (region[i] < RegionMinimum::none &&
            (abs(p.x - winner.x) >= sest::elsewhere || abs(p.y - winner.y) >= sest::elsewhere ||
             abs(p.z - winner.z) >= sest::elsewhere))
            other.take(region[i], i);
    }
    const Least second = minOfBlock(other, scratch);
    if (thread > 0)
        return;
    RegionMinimum minimum;
    minimum.winner = winner;
    minimum.least = least.value;
    minimum.second = second.value;
    const int at[3]{winner.x, winner.y, winner.z}, sides[3]{size.x, size.y, size.z},
        steps[3]{1, size.x, size.x * size.y};
    for (int axis = 0; axis < 3; ++axis) {
        if (at[axis] > 0)
            minimum.before[axis] = region[least.place - steps[axis]];
        if (at[axis] < sides[axis] - 1)
            minimum.after[axis] = region[least.place + steps[axis]];
    }
    minima[blockIdx.x] = minimum;
}

} // namespace

void sest::findMinimaOnDevice(const float* squared, Size3 size, int count, RegionMinimum* minima,
                              const ExecContext& ctx) {
    if (count == 0)
        return;
    loggedCall(ctx, "solve", [&](LaunchLog& log) {
        const double places = static_cast<double>(size.voxels()) * count;
        log.launch({"sest region minima",
                    4.0 * places + static_cast<double>(sizeof(RegionMinimum)) * count, 2 * places},
                   minimumKernel,
                   LaunchShape{dim3(static_cast<unsigned>(count)), dim3(regionThreads)}, squared,
                   size, minima);
    });
}

} // namespace systole
