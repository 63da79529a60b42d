#include "compute/core/error.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/ops/smooth_cuda.cuh"
#include "compute/surface/mean_place_math.h"

namespace systole {
namespace {

__device__ inline std::size_t threadIndex() {
    return blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
}

__global__ void shiftKernel(const float* before, const float* after, std::size_t voxels,
                            const meanplace::Scale scale, float* weight, float* shift) {
    const std::size_t i = threadIndex();
    if (i >= voxels)
        return;
    weight[i] = meanplace::weight(scale, after[i]);
    shift[i] = weight[i] * (before[i] - after[i]);
}

__global__ void giveBackKernel(const float* weight, const float* shift, std::size_t voxels,
                               const meanplace::Scale scale, float* after) {
    const std::size_t i = threadIndex();
    if (i < voxels)
        after[i] += meanplace::given(scale, after[i], shift[i], weight[i]);
}

} // namespace

void keepMeanPlaceOnDevice(VolumeView<const float> before, VolumeView<float> after, Vec3 spacing,
                           const MeanPlaceParameters& parameters, const ExecContext& ctx) {
    if (before.size != after.size)
        throw ComputeError("a surface before and after denoising have one size");
    const meanplace::Scale scale(parameters, spacing);
    const std::size_t voxels = after.voxels();
    const auto bytes = static_cast<double>(voxels * sizeof(float));
    BufferPool& pool = ctx.cuda->devicePool();
    Buffer<float> sums = pool.acquire<float>(2 * voxels, "weights and shifts of the mean place");
    Buffer<float> scratch = pool.acquire<float>(2 * voxels, "smoothing of the mean place");
    float *const weight = sums.data(), *const shift = weight + voxels;
    const gpu::AxisTaps taps = gpu::gaussianTapsFor(parameters.sigma);
    loggedCall(ctx, "mean place", [&](LaunchLog& log) {
        const LaunchShape shape = gpu::threadsOver(voxels);
        log.launch({"mean place, shifts", 4 * bytes}, shiftKernel, shape, before.data, after.data,
                   voxels, scale, weight, shift);
        gpu::smoothStack(smoothFamily.standardVariant(), {weight, 2, after.size}, taps,
                         {scratch.data(), scratch.size()}, log);
        log.launch({"mean place, given back", 4 * bytes}, giveBackKernel, shape, weight, shift,
                   voxels, scale, after.data);
    });
}

} // namespace systole
