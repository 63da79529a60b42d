#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/clg/solver/half_cuda.cuh"

#include <algorithm>

namespace systole::clg {
namespace {

constexpr unsigned maxBlocks = 2048;

__global__ void findLargest(FloatCoefficients<Load::Cached> from, std::size_t voxels,
                            unsigned* largest) {
    // The bits of non-negative floats are ordered as the floats are.
    unsigned bits[2] = {0, 0};
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < voxels;
         i += std::size_t{blockDim.x} * gridDim.x)
        for (std::size_t k = 0; k < 9; ++k) {
            unsigned& own = bits[k < 6 ? 0 : 1];
            own = max(own, __float_as_uint(fabsf(from(k, i))));
        }
    for (int part = 0; part < 2; ++part) {
        for (int lane = warpSize / 2; lane > 0; lane /= 2)
            bits[part] = max(bits[part], __shfl_xor_sync(0xffffffffu, bits[part], lane));
        if (threadIdx.x % static_cast<unsigned>(warpSize) == 0)
            atomicMax(largest + part, bits[part]);
    }
}

/// The power of two that, as divisor, brings the largest value between 2¹⁴ and 2¹⁵.
__device__ inline float unitFor(unsigned largestBits) {
    const float largest = __uint_as_float(largestBits);
    return largest > 0 ? ldexpf(1.0f, ilogbf(largest) - 14) : 1.0f;
}

__global__ void storeHalf(FloatCoefficients<Load::Cached> from, __half* to, std::size_t voxels,
                          const unsigned* largest, float* units) {
    const float unit[2] = {unitFor(largest[0]), unitFor(largest[1])};
    if (blockIdx.x == 0 && threadIdx.x < 2)
        units[threadIdx.x] = unit[threadIdx.x];
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < voxels;
         i += std::size_t{blockDim.x} * gridDim.x)
        for (std::size_t k = 0; k < 9; ++k)
            to[k * voxels + i] = __float2half_rn(from(k, i) / unit[k < 6 ? 0 : 1]);
}

} // namespace

HalfStore::HalfStore(CudaContext& cuda, Size3 size)
    : planes_(cuda.devicePool().acquire<__half>(9 * size.voxels(), "solver, 16 bits"))
    , units_(cuda.devicePool().acquire<float>(2, "solver, units"))
    , largest_(cuda.devicePool().acquire<unsigned>(2, "solver, largest coefficients")) {}

std::size_t HalfStore::scratchBytes(Size3 size) { return 9 * sizeof(__half) * size.voxels(); }

HalfTensor HalfStore::store(const DeviceSystem& system, LaunchLog& log) {
    const std::size_t n = system.voxels();
    const auto voxels = static_cast<double>(n);
    const auto shapeOf = [&](const char* kernel) {
        LaunchShape shape = gpu::threadsOver(n, log, kernel);
        shape.grid.x = std::min(shape.grid.x, maxBlocks);
        return shape;
    };
    FloatCoefficients<Load::Cached> from{};
    std::copy(std::begin(system.coefficient), std::end(system.coefficient), std::begin(from.plane));
    cudaCheck(cudaMemsetAsync(largest_.data(), 0, 2 * sizeof(unsigned), log.stream()),
              "clearing maxima");
    const char *const largest = "16 bits/largest", *const toHalf = "16 bits/store";
    // Per voxel: nine values compared; nine values divided by their unit and written.
    constexpr KernelCost compared{.integer = 9 * 3, .globalLoads = 9};
    constexpr KernelCost stored{.divide = 9, .integer = 9 * 4, .globalLoads = 9, .globalStores = 9};
    const LaunchShape largestShape = shapeOf(largest), storeShape = shapeOf(toHalf);
    log.launch({largest, 36 * voxels, 0, gpu::perThread(largestShape, voxels, compared)},
               findLargest, largestShape, from, n, largest_.data());
    log.launch({toHalf, 54 * voxels, 0, gpu::perThread(storeShape, voxels, stored)}, storeHalf,
               storeShape, from, planes_.data(), n, largest_.data(), units_.data());
    HalfTensor half;
    for (std::size_t k = 0; k < 9; ++k)
        half.plane[k] = planes_.data() + k * n;
    half.units = units_.data();
    return half;
}

} // namespace systole::clg
