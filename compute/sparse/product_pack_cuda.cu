// Rows that were written where their bounds left room, packed one behind another.
#include "compute/cuda/kernel_support.cuh"
#include "compute/sparse/product_cuda.cuh"

#include <algorithm>

namespace systole::sparse::gpu {
namespace {

template <typename Value>
__device__ void copyEntry(const Packing<Value>& p, int row, long long i) {
    p.toColumn[p.to[row] + i] = p.fromColumn[p.from[row] + i];
    p.toValue[p.to[row] + i] = p.fromValue[p.from[row] + i];
}

/// 8 lanes per row: for rows that are short.
template <typename Value>
__global__ void packRowsKernel(const Packing<Value> p, int* rowStart) {
    constexpr int group = 8;
    const long long row = (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x) / group;
    const int lane = static_cast<int>(threadIdx.x % group);
    if (row > p.rows)
        return;
    if (lane == 0)
        rowStart[row] = static_cast<int>(p.to[row]);
    if (row == p.rows)
        return;
    const long long length = p.to[row + 1] - p.to[row];
    for (long long i = lane; i < length; i += group)
        copyEntry(p, static_cast<int>(row), i);
}

constexpr int packedByWarp = 256; ///< entries

/// So many entries per warp, whatever rows they are of.
template <typename Value>
__global__ void packEntriesKernel(const Packing<Value> p, long long entries, int* rowStart) {
    const long long thread = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x,
                    warp = thread / warpSize;
    if (thread <= p.rows)
        rowStart[thread] = static_cast<int>(p.to[thread]);
    const long long begin = warp * packedByWarp, end = min(begin + packedByWarp, entries);
    if (begin >= end)
        return;
    int row = 0, high = p.rows - 1;
    while (row < high) {
        const int middle = row + (high - row + 1) / 2;
        if (p.to[middle] <= begin)
            row = middle;
        else
            high = middle - 1;
    }
    long long next = p.to[row + 1];
    for (long long i = begin + threadIdx.x % 32; i < end; i += 32) {
        while (next <= i)
            next = p.to[++row + 1];
        copyEntry(p, row, i - p.to[row]);
    }
}

} // namespace

template <typename Value>
void packRows(const Packing<Value>& packing, long long entries, int longest, int* rowStart,
              LaunchLog& log) {
    constexpr int shortRow = 512;
    const KernelNote note{"spgemm, pack", 2.0 * (4 + sizeof(Value)) * static_cast<double>(entries)};
    const std::size_t rows = static_cast<std::size_t>(packing.rows);
    if (entries < 16ll * packing.rows && longest <= shortRow)
        return log.launch(note, packRowsKernel<Value>, systole::gpu::threadsOver((rows + 1) * 8),
                          packing, rowStart);
    const std::size_t warps = (static_cast<std::size_t>(entries) + packedByWarp - 1) / packedByWarp;
    log.launch(note, packEntriesKernel<Value>,
               systole::gpu::threadsOver(std::max(32 * warps, rows + 1)), packing, entries,
               rowStart);
}

template void packRows<float>(const Packing<float>&, long long, int, int*, LaunchLog&);
template void packRows<double>(const Packing<double>&, long long, int, int*, LaunchLog&);

} // namespace systole::sparse::gpu
