#include "compute/cuda/launch.cuh"
#include "compute/surface/mean_place.h"
#include "compute/surface/nonlocal_surface.h"
#include "compute/surface/redistance.h"

namespace systole {

DenoiseReport denoiseNonlocallyOnDevice(VolumeView<float> phi, Vec3 spacing,
                                        const NonlocalMeansParameters& parameters,
                                        const ExecContext& ctx) {
    CudaContext& cuda = *ctx.cuda;
    Buffer<float> noisy =
        cuda.devicePool().acquire<float>(phi.voxels(), "distance before denoising");
    cuda.copyOnDevice(phi.data, noisy.data(), phi.voxels() * sizeof(float), CudaStream::Compute);
    const auto band = static_cast<float>(nlm::bandReadByRounds(parameters, spacing));
    const DenoiseReport report =
        denoiseSurfaceOnDevice(phi, spacing, parameters, ctx, [&](VolumeView<float> drifted) {
            redistanceOnDevice(drifted, spacing, band, ctx);
        });
    keepMeanPlaceOnDevice({noisy.data(), phi.size}, phi, spacing,
                          MeanPlaceParameters::around(parameters.delta, parameters.patchRadius),
                          ctx);
    return report;
}

} // namespace systole
