#include "compute/surface/nonlocal_surface.h"

#include "compute/core/error.h"
#include "compute/cuda/staged_copy.h"
#include "compute/surface/mean_place.h"
#include "compute/surface/redistance.h"

#include <algorithm>

namespace systole {
namespace {

DenoiseReport throughDevice(VolumeView<float> phi, Vec3 spacing,
                            const NonlocalMeansParameters& parameters, const ExecContext& ctx) {
    if constexpr (cudaIsBuilt) {
        Buffer<float> onDevice =
            ctx.cuda->devicePool().acquire<float>(phi.voxels(), "signed distance");
        uploadStaged(phi.data, onDevice.data(), phi.voxels(), ctx);
        const DenoiseReport report =
            denoiseNonlocallyOnDevice({onDevice.data(), phi.size}, spacing, parameters, ctx);
        downloadStaged(onDevice.data(), phi.data, phi.voxels(), ctx);
        return report;
    } else {
        throw ComputeError("surfaces can't be denoised with CUDA: this build has none");
    }
}

} // namespace

double nlm::bandReadByRounds(const NonlocalMeansParameters& parameters, Vec3 spacing) {
    return (parameters.delta + 2 * parameters.patchRadius + 1) * meanVoxelSide(spacing);
}

DenoiseReport denoiseNonlocally(VolumeView<float> phi, Vec3 spacing,
                                const NonlocalMeansParameters& parameters, const ExecContext& ctx) {
    if (ctx.backend == Backend::Cuda)
        return throughDevice(phi, spacing, parameters, ctx);
    Buffer<float> noisy = ctx.pool->acquire<float>(phi.voxels(), "distance before denoising");
    std::ranges::copy(phi.span(), noisy.data());
    const auto band = static_cast<float>(nlm::bandReadByRounds(parameters, spacing));
    const DenoiseReport report =
        denoiseSurface(phi, spacing, parameters, ctx,
                       [&](VolumeView<float> drifted) { redistance(drifted, spacing, band, ctx); });
    keepMeanPlace({noisy.data(), phi.size}, phi, spacing,
                  MeanPlaceParameters::around(parameters.delta, parameters.patchRadius), ctx);
    return report;
}

} // namespace systole
