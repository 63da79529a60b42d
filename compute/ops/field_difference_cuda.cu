#include "compute/cuda/kernel_support.cuh"
#include "compute/cuda/staged_copy.h"
#include "compute/ops/field_difference_math.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace systole {
namespace {

constexpr int bins = 4096;
constexpr int block = 256;
constexpr unsigned maxBlocks = 1024;

/// Figures in device memory; zero before the kernels.
struct Figures {
    double2 sum; ///< sums of the distances in mm and in voxels
    /// Bits of the squared mm above the inverted offset: the largest value is the first farthest.
    unsigned long long farthest;
    unsigned farthestVoxels; ///< bits of squared voxels, ordered like non-negative floats
    unsigned arrived;
    unsigned histogram[bins];
};

__device__ float farthestDistance(const Figures& figures) {
    return sqrtf(__uint_as_float(static_cast<unsigned>(figures.farthest >> 32)));
}

/// Threads stride over the voxels, so that the number of sums doesn't depend on the volume's size.
__global__ void measureDifference(FieldView<const float> a, FieldView<const float> b,
                                  VoxelToMillimeters matrix, unsigned voxels, float* millimeters,
                                  Figures* figures, double2* perBlock) {
    double2 sum{0, 0};
    unsigned long long farthest = 0;
    unsigned farthestVoxels = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < voxels;
         i += gridDim.x * blockDim.x) {
        const float du = a.u[i] - b.u[i], dv = a.v[i] - b.v[i], dw = a.w[i] - b.w[i];
        const float squared = squaredMillimeters(matrix, du, dv, dw);
        const float squaredVoxels = du * du + dv * dv + dw * dw;
        const float distance = sqrtf(squared);
        millimeters[i] = distance;
        sum.x += static_cast<double>(distance);
        sum.y += static_cast<double>(sqrtf(squaredVoxels));
        const unsigned long long here =
            (static_cast<unsigned long long>(__float_as_uint(squared)) << 32) | ~i;
        farthest = here > farthest ? here : farthest;
        farthestVoxels = max(farthestVoxels, __float_as_uint(squaredVoxels));
    }
    for (int lane = 16; lane > 0; lane /= 2) {
        const unsigned long long other =
            __shfl_down_sync(0xffffffffu, farthest, static_cast<unsigned>(lane));
        farthest = other > farthest ? other : farthest;
        farthestVoxels = max(farthestVoxels, __shfl_down_sync(0xffffffffu, farthestVoxels,
                                                              static_cast<unsigned>(lane)));
    }
    if (threadIdx.x % 32 == 0) {
        atomicMax(&figures->farthest, farthest);
        atomicMax(&figures->farthestVoxels, farthestVoxels);
    }
    double2 total;
    if (gpu::gridSum(sum, {perBlock, &figures->arrived}, total))
        figures->sum = total;
}

/// Counts the distances in `bins` equal steps up to the farthest.
__global__ void countDistances(const float* millimeters, unsigned voxels, Figures* figures) {
    __shared__ unsigned counts[bins];
    for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
        counts[bin] = 0;
    __syncthreads();
    const float farthest = farthestDistance(*figures);
    const float perMillimeter = farthest > 0 ? bins / farthest : 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < voxels;
         i += gridDim.x * blockDim.x)
        atomicAdd(&counts[min(bins - 1, static_cast<int>(millimeters[i] * perMillimeter))], 1u);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
        if (counts[bin] > 0)
            atomicAdd(&figures->histogram[bin], counts[bin]);
}

FieldDifference read(const Figures& figures, const Geometry& geometry) {
    const auto voxels = static_cast<double>(geometry.voxels());
    FieldDifference result;
    result.mean = figures.sum.x / voxels;
    result.meanVoxels = figures.sum.y / voxels;
    result.maximum = std::sqrt(
        static_cast<double>(std::bit_cast<float>(static_cast<unsigned>(figures.farthest >> 32))));
    result.maximumVoxels =
        std::sqrt(static_cast<double>(std::bit_cast<float>(figures.farthestVoxels)));
    const auto rank = static_cast<std::size_t>(0.99 * (voxels - 1));
    std::size_t counted = 0;
    for (int bin = 0; bin < bins && counted <= rank; ++bin) {
        counted += figures.histogram[bin];
        result.quantile99 = result.maximum * (bin + 1) / bins;
    }
    const std::size_t offset = ~static_cast<unsigned>(figures.farthest & 0xffffffffu);
    setMaximumAt(result, offset, geometry);
    return result;
}

} // namespace

FieldDifference fieldDifferenceOnDevice(const VectorField& a, const VectorField& b,
                                        VolumeView<float> millimeters, CudaContext& cuda) {
    checkDifference(a, b, millimeters.size);
    if (millimeters.voxels() >= 0xffffffffu)
        throw ComputeError("fields of more than 4294967294 voxels can't be compared on a device");
    const auto voxels = static_cast<unsigned>(millimeters.voxels());
    LaunchShape shape = gpu::threadsOver(voxels, block);
    shape.grid.x = std::min(shape.grid.x, maxBlocks);

    Buffer<Figures> figures = cuda.devicePool().acquire<Figures>(1, "difference of fields");
    Buffer<double2> perBlock =
        cuda.devicePool().acquire<double2>(shape.grid.x, "difference of fields");
    cuda.waitFor(CudaStream::Compute, a.ready);
    cuda.waitFor(CudaStream::Compute, b.ready);
    cuda.zero(figures.data(), sizeof(Figures), CudaStream::Compute);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    const double n = voxels;
    log.launch({"difference/measure", 28 * n, 24 * n}, measureDifference, shape, a.view(), b.view(),
               voxelToMillimeters(a.geometry), voxels, millimeters.data, figures.data(),
               perBlock.data());
    log.launch({"difference/histogram", 4 * n, 2 * n}, countDistances, shape, millimeters.data,
               voxels, figures.data());
    return read(fetched(figures.data(), cuda), a.geometry);
}

} // namespace systole
