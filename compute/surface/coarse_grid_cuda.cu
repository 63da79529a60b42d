#include "compute/cuda/kernel_support.cuh"
#include "compute/ops/smooth_cuda.cuh"
#include "compute/surface/coarse_grid_math.h"

namespace systole {
namespace {

using coarsegrid::Places;

enum class Sampling { Trilinear, Cubic };

template <Sampling sampling>
__global__ void resampleKernel(const float* in, Size3 from, const Places places, float shift,
                               Size3 to, float* out) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i >= to.voxels())
        return;
    const auto nx = static_cast<std::size_t>(to.x), ny = static_cast<std::size_t>(to.y);
    const Position p = places.of(static_cast<int>(i % nx), static_cast<int>(i / nx % ny),
                                 static_cast<int>(i / nx / ny));
    out[i] = shift + (sampling == Sampling::Cubic ? coarsegrid::cubic(in, from, p)
                                                  : coarsegrid::trilinear(in, from, p));
}

template <Sampling sampling>
void resample(VolumeView<const float> in, const Places& places, float shift, VolumeView<float> out,
              LaunchLog& log) {
    // Each array once; values that several voxels read come from the caches.
    const auto bytes = static_cast<double>((in.voxels() + out.voxels()) * sizeof(float));
    constexpr const char* name =
        sampling == Sampling::Cubic ? "distance, finer grid" : "distance, coarser grid";
    log.launch({name, bytes}, resampleKernel<sampling>, gpu::threadsOver(out.voxels()), in.data,
               in.size, places, shift, out.size, out.data);
}

} // namespace

void coarsenOnDevice(VolumeView<const float> fine, const CoarseGrid& grid, VolumeView<float> smooth,
                     VolumeView<float> asItIs, const ExecContext& ctx) {
    BufferPool& pool = ctx.cuda->devicePool();
    Buffer<float> smoothed = pool.acquire<float>(fine.voxels(), "smoothed distance");
    Buffer<float> scratch = pool.acquire<float>(2 * fine.voxels(), "smoothing of a distance");
    ctx.cuda->copyOnDevice(fine.data, smoothed.data(), fine.voxels() * sizeof(float),
                           CudaStream::Compute);
    const Places places = Places::toFine(grid);
    loggedCall(ctx, "grid", [&](LaunchLog& log) {
        gpu::smoothStack(smoothFamily.standardVariant(), {smoothed.data(), 1, fine.size},
                         gpu::gaussianTapsFor(grid.sigma), {scratch.data(), scratch.size()}, log);
        resample<Sampling::Trilinear>({smoothed.data(), fine.size}, places, 0, smooth, log);
        resample<Sampling::Trilinear>(fine, places, 0, asItIs, log);
    });
}

void refineOnDevice(VolumeView<const float> coarse, const CoarseGrid& grid, float shift,
                    VolumeView<float> fine, const ExecContext& ctx) {
    loggedCall(ctx, "grid", [&](LaunchLog& log) {
        resample<Sampling::Cubic>(coarse, Places::toCoarse(grid), shift, fine, log);
    });
}

} // namespace systole
