// Sums over groups of voxels on a device, in a fixed order: chunks by blocks, groups of chunks by
// blocks. And what a frame's planes are.
#pragma once

#include "compute/cardiac/grouped_voxels.h"
#include "compute/core/buffer.h"
#include "compute/cuda/kernel_support.cuh"

#include <algorithm>
#include <string>
#include <vector>

namespace systole::cardiac {

/// Planes of FrameOnDevice; displacements come first.
inline constexpr int planesOfFrame = 7, jacobianPlane = 3, stretchPlane = 4;

/// A block per chunk; terms(voxel, group, values) adds those of a voxel. In a fixed order.
template <int n, typename Terms>
__global__ void chunkSums(const __grid_constant__ Terms terms, const GroupedVoxels::Chunk* chunks,
                          const std::int32_t* voxels, double* sums) {
    const GroupedVoxels::Chunk chunk = chunks[blockIdx.x];
    double values[n + 1]{}; // one more, as they are summed in pairs
    const std::int32_t k = chunk.begin + static_cast<std::int32_t>(threadIdx.x);
    if (k < chunk.end)
        terms(voxels[k], chunk.group, values);
    for (int i = 0; i < n; i += 2) {
        const double2 sum = gpu::blockSum({values[i], values[i + 1]});
        if (threadIdx.x != 0)
            continue;
        sums[n * blockIdx.x + static_cast<unsigned>(i)] = sum.x;
        if (i + 1 < n)
            sums[n * blockIdx.x + static_cast<unsigned>(i) + 1] = sum.y;
    }
}

/// A block per group adds its chunks, in a fixed order.
template <int n>
__global__ void groupSums(const GroupedVoxels::Chunk* chunks, int chunkCount, const double* sums,
                          double* out) {
    const int group = static_cast<int>(blockIdx.x);
    double values[n + 1]{}; // one more, as they are summed in pairs
    for (int c = static_cast<int>(threadIdx.x); c < chunkCount; c += static_cast<int>(blockDim.x))
        if (chunks[c].group == group)
            for (int i = 0; i < n; ++i)
                values[i] += sums[n * c + i];
    for (int i = 0; i < n; i += 2) {
        const double2 sum = gpu::blockSum({values[i], values[i + 1]});
        if (threadIdx.x != 0)
            continue;
        out[n * group + i] = sum.x;
        if (i + 1 < n)
            out[n * group + i + 1] = sum.y;
    }
}

/// Sums of all groups, in device memory until the caller downloads them.
template <int n, typename Terms>
Buffer<double> summed(const char* name, const Terms& terms, int groups,
                      const Buffer<GroupedVoxels::Chunk>& chunks,
                      const Buffer<std::int32_t>& voxels, LaunchLog& log) {
    BufferPool& pool = log.cuda().devicePool();
    Buffer<double> parts = pool.acquire<double>(std::max<std::size_t>(1, n * chunks.size()), name),
                   sums = pool.acquire<double>(static_cast<std::size_t>(n * groups), name);
    const auto items = static_cast<double>(voxels.size());
    if (chunks.size() > 0)
        log.launch({std::string(name) + "/chunks", 8 * n * items, 4 * n * items},
                   chunkSums<n, Terms>,
                   {dim3(static_cast<unsigned>(chunks.size())), dim3(GroupedVoxels::chunkSize)},
                   terms, chunks.data(), voxels.data(), parts.data());
    log.launch({std::string(name) + "/groups", 8.0 * n * static_cast<double>(chunks.size()),
                static_cast<double>(n) * static_cast<double>(chunks.size())},
               groupSums<n>, {dim3(static_cast<unsigned>(groups)), dim3(GroupedVoxels::chunkSize)},
               chunks.data(), static_cast<int>(chunks.size()), parts.data(), sums.data());
    return sums;
}

template <typename T>
std::vector<T> downloaded(const Buffer<T>& from, CudaContext& cuda) {
    std::vector<T> values(from.size());
    cuda.download(from.data(), values.data(), values.size() * sizeof(T), CudaStream::Compute);
    return values;
}

} // namespace systole::cardiac
