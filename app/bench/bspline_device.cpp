#include "app/bench/bspline_device.h"

#include "app/bench/timing.h"
#include "compute/cuda/device.h"

#include <functional>
#include <string>

namespace systole {
namespace {

constexpr double budgetSeconds = 0.5; ///< time budget of the repeats of one figure

/// Values in device memory.
Buffer<float> uploaded(CudaContext& cuda, const std::vector<float>& values) {
    Buffer<float> to = cuda.devicePool().acquire<float>(values.size(), "benchmark");
    cuda.upload(values.data(), to.data(), values.size() * sizeof(float), CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    return to;
}

/// Median, after a run that warms up, of the summed event times of the kernels whose names begin
/// like this: not of copies to textures.
double kernelSeconds(const ExecContext& ctx, int repeats, const std::string& kernels,
                     const std::function<void(const ExecContext&)>& run) {
    const auto once = [&] {
        const FrameProfile profile = profileOf(ctx, true, run);
        double sum = 0;
        for (const ProfileSpan& span : profile.spans)
            if (span.stage.empty() && span.kernel.starts_with(kernels))
                sum += span.seconds;
        return sum;
    };
    once();
    return medianWithin(repeats, budgetSeconds, once);
}

} // namespace

std::vector<float> bsplineOnDevice(int variant, const ControlGrid& grid,
                                   const std::vector<float>& points, BenchDevice& device,
                                   const ExecContext& ctx) {
    std::vector<float> values(3 * grid.image.voxels());
    if constexpr (cudaIsBuilt) {
        CudaContext& cuda = device.cuda;
        Buffer<float> from = uploaded(cuda, points);
        Buffer<float> to = cuda.devicePool().acquire<float>(values.size(), "benchmark");
        lab::bsplineFieldOnDevice(variant, {{from.data(), grid.points()}, grid},
                                  {to.data(), grid.image}, contextOn(device, ctx));
        cuda.download(to.data(), values.data(), values.size() * sizeof(float), CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
    }
    return values;
}

BsplineTimer::BsplineTimer(Size3 size, BenchDevice& device, int repeats, const ExecContext& ctx)
    : size_(size)
    , cuda_(device.cuda)
    , repeats_(repeats)
    , ctx_(contextOn(device, ctx))
    , field_(cuda_.devicePool().acquire<float>(3 * size.voxels(), "benchmark, field"))
    , image_(uploaded(cuda_, std::vector<float>(size.voxels(), 1.0f)))
    , warped_(cuda_.devicePool().acquire<float>(5 * size.voxels(), "benchmark, warped")) {}

double BsplineTimer::floor() {
    if constexpr (cudaIsBuilt)
        return kernelSeconds(ctx_, repeats_, "bspline floor", [&](const ExecContext& ctx) {
            lab::writeFieldOnDevice({field_.data(), size_}, ctx);
        });
    return 0;
}

double BsplineTimer::field(int variant, const ControlGrid& grid, const std::vector<float>& points) {
    if constexpr (cudaIsBuilt) {
        Buffer<float> from = uploaded(cuda_, points);
        return kernelSeconds(
            ctx_, repeats_, lab::bsplineFamily.kernel(variant), [&](const ExecContext& ctx) {
                lab::bsplineFieldOnDevice(variant, {{from.data(), grid.points()}, grid},
                                          {field_.data(), size_}, ctx);
            });
    }
    return 0;
}

double BsplineTimer::gradient(const ControlGrid& grid, const std::vector<float>& points) {
    if constexpr (cudaIsBuilt) {
        Buffer<float> to = uploaded(cuda_, points);
        return kernelSeconds(ctx_, repeats_, "bspline gradient", [&](const ExecContext& ctx) {
            bsplineGradientOnDevice({field_.data(), size_}, {{to.data(), grid.points()}, grid},
                                    ctx);
        });
    }
    return 0;
}

double BsplineTimer::warp(int variant, const ControlGrid& grid, const std::vector<float>& points) {
    if constexpr (cudaIsBuilt) {
        Buffer<float> from = uploaded(cuda_, points);
        const std::size_t n = size_.voxels();
        const lab::BsplineWarp in{
            {{from.data(), grid.points()}, grid}, {}, {image_.data(), size_}, {}};
        const lab::BsplineWarped out{
            {warped_.data(), size_}, {warped_.data() + n, size_}, {warped_.data() + 2 * n, size_}};
        return kernelSeconds(ctx_, repeats_, "bspline", [&](const ExecContext& ctx) {
            lab::bsplineWarpOnDevice(variant, in, out, ctx);
        });
    }
    return 0;
}

} // namespace systole
