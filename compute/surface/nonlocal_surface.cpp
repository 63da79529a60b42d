#include "compute/surface/nonlocal_surface.h"

#include "compute/core/error.h"
#include "compute/cuda/staged_copy.h"
#include "compute/surface/coarse_grid.h"
#include "compute/surface/mean_place.h"
#include "compute/surface/redistance.h"
#include "compute/surface/volume_shift.h"

#include <fmt/format.h>

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

constexpr nlm::GridSteps onHost{&denoiseSurface, &redistance, &keepMeanPlace};

} // namespace

void nlm::denoiseOnGrid(const GridSteps& steps, VolumeView<float> smooth,
                        VolumeView<const float> asItIs, Vec3 spacing,
                        const NonlocalMeansParameters& parameters, DenoiseReport& report,
                        const ExecContext& ctx) {
    // The next round reads the patches of its band, nothing beyond.
    const auto band = static_cast<float>((parameters.delta + 2 * parameters.patchRadius + 1) *
                                         meanVoxelSide(spacing));
    report.setRounds(
        steps.denoise(smooth, spacing, parameters, ctx, [&](VolumeView<float> drifted) {
            steps.redistance(drifted, spacing, band, ctx);
        }));
    steps.keepMeanPlace(asItIs, smooth, spacing,
                        MeanPlaceParameters::around(parameters.delta, parameters.patchRadius), ctx);
}

DenoiseReport nlm::chooseGrid(VolumeView<const float> phi, Vec3 spacing,
                              const NonlocalMeansParameters& parameters, const ExecContext& ctx) {
    DenoiseReport report;
    report.grid = parameters.grid;
    if (parameters.grid > 0)
        return report;
    report.grid = 1;
    if (!canTellNoise(spacing))
        return report;
    const ScopedSpan span(ctx.profile, "noise", "noise of a surface");
    report.noise = findNoise(phi, spacing, ctx);
    report.grid = gridFor(report.noise);
    return report;
}

DenoiseReport denoiseNonlocally(VolumeView<float> phi, Vec3 spacing,
                                const NonlocalMeansParameters& parameters, const ExecContext& ctx) {
    if (ctx.backend == Backend::Cuda)
        return throughDevice(phi, spacing, parameters, ctx);
    DenoiseReport report = nlm::chooseGrid(phi, spacing, parameters, ctx);
    if (report.grid == 0)
        return report;
    const CoarseGrid grid = CoarseGrid::of(phi.size, spacing, report.grid);
    Buffer<float> before =
        ctx.pool->acquire<float>(grid.size.voxels(), "distance before denoising");
    const VolumeView<float> asItIs(before.data(), grid.size);
    if (grid.isFine()) {
        std::ranges::copy(phi.span(), before.data());
        nlm::denoiseOnGrid(onHost, phi, asItIs, spacing, parameters, report, ctx);
        return report;
    }
    Buffer<float> coarse = ctx.pool->acquire<float>(grid.size.voxels(), "coarser distance");
    const VolumeView<float> smooth(coarse.data(), grid.size);
    coarsen(phi, grid, smooth, asItIs, ctx);
    nlm::denoiseOnGrid(onHost, smooth, asItIs, grid.spacing, parameters, report, ctx);
    refine(smooth, grid, volumeShift(asItIs, smooth, grid.spacing, ctx), phi, ctx);
    return report;
}

std::string textOf(const DenoiseReport& report) {
    if (report.grid == 0)
        return "no noise found, left as it is";
    const std::string chosen =
        fmt::format("patches compared on a grid of {:.2f} voxels", std::max(1.0, report.grid));
    if (report.noise.amplitude == 0)
        return chosen;
    return fmt::format("noise of {:.2f} voxel, {:.2f} wide: {}", report.noise.amplitude,
                       report.noise.width, chosen);
}

} // namespace systole
