// Shared code of kernels over volumes: mapping of threads to voxels, loads that may bypass L1, and
// sums that are the same in every run.
#pragma once

#include "compute/core/geometry.h"
#include "compute/cuda/launch.cuh"

namespace systole::gpu {

constexpr int divideUp(int a, int b) { return (a + b - 1) / b; }

/// The threads of a warp lie along x, so that their loads are coalesced.
inline constexpr int tileX = 32, tileY = 8;

/// A block of 32×8 columns, each thread working on `planes` voxels along z.
inline LaunchShape columnsOver(Size3 size, int planes, int rows = tileY) {
    return {dim3(static_cast<unsigned>(divideUp(size.x, tileX)),
                 static_cast<unsigned>(divideUp(size.y, rows)),
                 static_cast<unsigned>(divideUp(size.z, planes))),
            dim3(tileX, static_cast<unsigned>(rows))};
}

/// Maximum threads per block, on every device.
inline constexpr int maxThreads = 1024;

/// The requested threads per block of this kernel: whole warps, at most `most`. Throws ComputeError
/// for other numbers.
inline int threadsOfBlock(const LaunchLog& log, const std::string& kernel, int standard,
                          int most = maxThreads) {
    const int threads = log.threadsFor(kernel, standard);
    if (threads < tileX || threads > most || threads % tileX != 0)
        throw ComputeError(kernel + " can't be launched with blocks of " + std::to_string(threads) +
                           " threads: it takes multiples of " + std::to_string(tileX) + " up to " +
                           std::to_string(most));
    return threads;
}

/// Overload for a variant of a family, with the default and maximum of its table.
inline int threadsOfBlock(const LaunchLog& log, const KernelFamily& family, int variant) {
    const KernelVariant& row = family.at(variant);
    return threadsOfBlock(log, family.kernel(variant), row.standardThreads, row.blocks.last);
}

/// The requested threads per block as rows of tileX threads.
inline int rowsOfBlock(const LaunchLog& log, const std::string& kernel, int standardRows = tileY) {
    return threadsOfBlock(log, kernel, tileX * standardRows) / tileX;
}
inline int rowsOfBlock(const LaunchLog& log, const KernelFamily& family, int variant) {
    return threadsOfBlock(log, family, variant) / tileX;
}

/// Kernels whose registers depend on the block size are built twice: for blocks up to the default
/// size, and for any. Calls run(std::integral_constant<int, max threads>{}).
template <int Standard, typename Run>
void withBound(int threads, const Run& run) {
    if (threads <= Standard)
        run(std::integral_constant<int, Standard>{});
    else
        run(std::integral_constant<int, maxThreads>{});
}

/// Voxels per thread of columnsOver(): fewer than `most` if the volume is too small to fill a
/// device.
inline int planesFor(Size3 size, int most) {
    constexpr std::size_t threads = 132 * 1024;
    const std::size_t planes = size.voxels() / threads;
    return planes < 1                                ? 1
           : planes > static_cast<std::size_t>(most) ? most
                                                     : static_cast<int>(planes);
}

/// Launch shape with one thread per item.
inline LaunchShape threadsOver(std::size_t items, int block = 256) {
    const auto threads = static_cast<std::size_t>(block);
    return {dim3(static_cast<unsigned>((items + threads - 1) / threads)),
            dim3(static_cast<unsigned>(block))};
}

/// Overload with the block size that the log has for this kernel.
inline LaunchShape threadsOver(std::size_t items, const LaunchLog& log, const std::string& kernel,
                               int standard = 256) {
    return threadsOver(items, threadsOfBlock(log, kernel, standard));
}
inline LaunchShape threadsOver(std::size_t items, const LaunchLog& log, const KernelFamily& family,
                               int variant) {
    return threadsOver(items, threadsOfBlock(log, family, variant));
}

/// columnsOver() with the block size that the log has for this kernel.
inline LaunchShape columnsOver(Size3 size, int planes, const LaunchLog& log,
                               const std::string& kernel, int standardRows = tileY) {
    return columnsOver(size, planes, rowsOfBlock(log, kernel, standardRows));
}

inline unsigned blocksOf(const LaunchShape& shape) {
    return shape.grid.x * shape.grid.y * shape.grid.z;
}

/// Mean cost of a thread in a launch that does `ofItem` for each of `items` items, including its
/// one-time work: about forty instructions to find its position.
inline KernelCost perThread(const LaunchShape& shape, double items, const KernelCost& ofItem,
                            const KernelCost& once = {}) {
    const double threads = static_cast<double>(blocksOf(shape)) *
                           static_cast<double>(shape.block.x * shape.block.y * shape.block.z);
    KernelCost start;
    start.integer = 40;
    return (items / threads) * ofItem + once + start;
}

#ifdef __CUDACC__

/// Position of a thread of columnsOver(); `inGrid` is false beyond the volume's edge.
struct Column {
    int x, y, begin, end;
    bool inGrid;
};

__device__ inline Column columnOf(Size3 size, int planes) {
    Column c;
    c.x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    c.y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    c.begin = static_cast<int>(blockIdx.z) * planes;
    c.end = min(c.begin + planes, size.z);
    c.inGrid = c.x < size.x && c.y < size.y;
    return c;
}

template <bool BypassL1>
__device__ inline float load(const float* p) {
    if constexpr (BypassL1)
        return __ldcg(p);
    else
        return *p;
}

/// The largest value of a warp, in every lane; all lanes take part.
__device__ inline unsigned warpMax(unsigned value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xffffffffu, value);
#else
    for (int lane = 16; lane > 0; lane /= 2)
        value = max(value, __shfl_xor_sync(0xffffffffu, value, lane));
    return value;
#endif
}

/// The sum over the block, in a fixed order, valid in thread 0. For blocks of whole warps.
__device__ inline double2 blockSum(double2 value) {
    __shared__ double2 perWarp[32];
    const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;
    const unsigned warps = (blockDim.x * blockDim.y + 31) / 32;
    for (int lane = 16; lane > 0; lane /= 2) {
        value.x += __shfl_down_sync(0xffffffffu, value.x, static_cast<unsigned>(lane));
        value.y += __shfl_down_sync(0xffffffffu, value.y, static_cast<unsigned>(lane));
    }
    __syncthreads();
    if (thread % 32 == 0)
        perWarp[thread / 32] = value;
    __syncthreads();
    if (thread == 0)
        for (unsigned w = 1; w < warps; ++w) {
            value.x += perWarp[w].x;
            value.y += perWarp[w].y;
        }
    return value;
}

/// Memory for a sum over a grid; `arrived` is zero between kernels.
struct GridSum {
    double2* perBlock;
    unsigned* arrived;
};

/// The sum over the whole grid, in block order regardless of the order in which blocks end. Returns
/// true only in thread 0 of the last block, which holds the total.
__device__ inline bool gridSum(double2 value, const GridSum& room, double2& total) {
    __shared__ bool last;
    const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
    value = blockSum(value);
    if (thread == 0) {
        room.perBlock[block] = value;
        __threadfence();
        last = atomicAdd(room.arrived, 1u) == blocks - 1;
    }
    __syncthreads();
    if (!last)
        return false;
    __threadfence();
    double2 sum{0, 0};
    for (unsigned i = thread; i < blocks; i += blockDim.x * blockDim.y) {
        sum.x += __ldcg(&room.perBlock[i].x);
        sum.y += __ldcg(&room.perBlock[i].y);
    }
    total = blockSum(sum);
    if (thread == 0)
        *room.arrived = 0;
    return thread == 0;
}

#endif

} // namespace systole::gpu
