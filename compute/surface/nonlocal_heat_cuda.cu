#include "compute/cuda/kernel_support.cuh"
#include "compute/surface/nonlocal_heat_cuda.cuh"

#include <algorithm>

namespace systole::gpu {
namespace {

constexpr int meanThreads = 256;

/// Each block sums a part of the entries; the last kernel sums the blocks' in their order.
__global__ void meanKernel(const float* distance, std::size_t entries, double2* partial) {
    double2 sum{0, 0};
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < entries;
         i += std::size_t{gridDim.x} * blockDim.x)
        if (distance[i] < INFINITY) {
            sum.x += static_cast<double>(distance[i]);
            sum.y += 1;
        }
    sum = blockSum(sum);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}
__global__ void addKernel(const double2* partial, int count, HeatSums* sums) {
    double2 sum{0, 0};
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
        sum.x += partial[i].x;
        sum.y += partial[i].y;
    }
    sum = blockSum(sum);
    if (threadIdx.x == 0) {
        sums->distance = sum.x;
        sums->count = sum.y;
    }
}

__device__ float warpSum(float value) {
    for (int lane = 16; lane > 0; lane /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, lane);
    return value;
}

/// A warp per element.
__device__ int elementOfWarp() {
    return static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
}

__global__ void weighKernel(Size3 size, const int* band, int elements, NeighborView lists,
                            const nlm::WeightScale scale, HeatSums* sums) {
    const int j = elementOfWarp(), lane = static_cast<int>(threadIdx.x % 32);
    if (j >= elements)
        return;
    const Voxel p = nlm::voxelAt(size, band[j]);
    float sum = 0;
    for (int k = lane; k < lists.m; k += 32) {
        const std::ptrdiff_t at = std::ptrdiff_t{j} * lists.m + k;
        const float weight = expf(nlm::exponentOf(
            scale, p, nlm::voxelAt(size, band[lists.element[at]]), lists.distance[at]));
        lists.distance[at] = weight;
        sum += weight;
    }
    sum = warpSum(sum);
    if (lane == 0)
        atomicMax(&sums->largestSum, __float_as_uint(sum));
}

__global__ void readKernel(const float* phi, const int* band, int elements, float* values) {
    const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (j < elements)
        values[j] = phi[band[j]];
}

__global__ void heatKernel(const float* values, int elements, NeighborView lists,
                           const HeatSums* sums, float* next) {
    const int j = elementOfWarp(), lane = static_cast<int>(threadIdx.x % 32);
    if (j >= elements)
        return;
    const float own = values[j], dt = 1 / __uint_as_float(sums->largestSum);
    float sum = 0;
    for (int k = lane; k < lists.m; k += 32) {
        const std::ptrdiff_t at = std::ptrdiff_t{j} * lists.m + k;
        sum += lists.distance[at] * (values[lists.element[at]] - own);
    }
    sum = warpSum(sum);
    if (lane == 0)
        next[j] = own + dt * sum;
}

__global__ void writeKernel(const float* values, const int* band, int elements, float* phi,
                            HeatSums* sums) {
    const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    float change = 0;
    if (j < elements) {
        change = fabsf(values[j] - phi[band[j]]);
        phi[band[j]] = values[j];
    }
    const unsigned largest = warpMax(__float_as_uint(change));
    if (threadIdx.x % 32 == 0)
        atomicMax(&sums->largestChange, largest);
}

LaunchShape warpsOver(int elements) { return threadsOver(static_cast<std::size_t>(elements) * 32); }

} // namespace

void sumDistances(NeighborView lists, int elements, double2* partial, HeatSums* sums,
                  LaunchLog& log) {
    const auto entries = static_cast<std::size_t>(elements) * static_cast<std::size_t>(lists.m);
    log.launch({"nlm mean", 4.0 * static_cast<double>(entries)}, meanKernel,
               {dim3(meanBlocks), dim3(meanThreads)}, lists.distance, entries, partial);
    log.launch({"nlm mean, blocks", 16.0 * meanBlocks}, addKernel, {dim3(1), dim3(meanThreads)},
               partial, meanBlocks, sums);
}

void weigh(Size3 size, std::span<const int> band, NeighborView lists, const nlm::WeightScale& scale,
           HeatSums* sums, LaunchLog& log) {
    const int elements = static_cast<int>(band.size());
    log.launch({"nlm weights", 4.0 * elements * (1 + 3 * lists.m)}, weighKernel,
               warpsOver(elements), size, band.data(), elements, lists, scale, sums);
}

void iterateHeat(VolumeView<float> phi, std::span<const int> band, NeighborView lists,
                 int iterations, float* values, HeatSums* sums, LaunchLog& log) {
    const int elements = static_cast<int>(band.size());
    float* next = values + elements;
    log.launch({"nlm read", 12.0 * elements}, readKernel, threadsOver(band.size()), phi.data,
               band.data(), elements, values);
    for (int n = 0; n < iterations; ++n) {
        log.launch({"nlm heat", 4.0 * elements * (2 + 2 * lists.m), 3.0 * elements * lists.m},
                   heatKernel, warpsOver(elements), values, elements, lists, sums, next);
        std::swap(values, next);
    }
    log.launch({"nlm write", 16.0 * elements}, writeKernel, threadsOver(band.size()), values,
               band.data(), elements, phi.data, sums);
}

} // namespace systole::gpu
