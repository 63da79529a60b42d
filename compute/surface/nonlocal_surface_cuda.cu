#include "compute/cuda/launch.cuh"
#include "compute/cuda/staged_copy.h"
#include "compute/surface/coarse_grid.h"
#include "compute/surface/mean_place.h"
#include "compute/surface/nonlocal_surface.h"
#include "compute/surface/redistance.h"
#include "compute/surface/volume_shift.h"

namespace systole {
namespace {

constexpr nlm::GridSteps onDevice{&denoiseSurfaceOnDevice, &redistanceOnDevice,
                                  &keepMeanPlaceOnDevice};

DenoiseReport chooseGridOnDevice(VolumeView<const float> phi, Vec3 spacing,
                                 const NonlocalMeansParameters& parameters,
                                 const ExecContext& ctx) {
    if (parameters.grid > 0)
        return nlm::chooseGrid({}, spacing, parameters, ctx);
    Buffer<float> onHost = ctx.pool->acquire<float>(phi.voxels(), "signed distance");
    downloadStaged(phi.data, onHost.data(), phi.voxels(), ctx);
    return nlm::chooseGrid({onHost.data(), phi.size}, spacing, parameters, ctx);
}

/// The coarser grid has few voxels: the shift is found on the host.
float shiftOf(VolumeView<const float> before, VolumeView<const float> after, Vec3 spacing,
              const ExecContext& ctx) {
    const std::size_t voxels = after.voxels();
    Buffer<float> onHost = ctx.pool->acquire<float>(2 * voxels, "coarser distances");
    downloadStaged(before.data, onHost.data(), voxels, ctx);
    downloadStaged(after.data, onHost.data() + voxels, voxels, ctx);
    return volumeShift({onHost.data(), after.size}, {onHost.data() + voxels, after.size}, spacing,
                       ctx);
}

} // namespace

DenoiseReport denoiseNonlocallyOnDevice(VolumeView<float> phi, Vec3 spacing,
                                        const NonlocalMeansParameters& parameters,
                                        const ExecContext& ctx) {
    DenoiseReport report = chooseGridOnDevice(phi, spacing, parameters, ctx);
    if (report.grid == 0)
        return report;
    CudaContext& cuda = *ctx.cuda;
    const CoarseGrid grid = CoarseGrid::of(phi.size, spacing, report.grid);
    Buffer<float> before =
        cuda.devicePool().acquire<float>(grid.size.voxels(), "distance before denoising");
    const VolumeView<float> asItIs(before.data(), grid.size);
    if (grid.isFine()) {
        cuda.copyOnDevice(phi.data, before.data(), phi.voxels() * sizeof(float),
                          CudaStream::Compute);
        nlm::denoiseOnGrid(onDevice, phi, asItIs, spacing, parameters, report, ctx);
        return report;
    }
    Buffer<float> coarse = cuda.devicePool().acquire<float>(grid.size.voxels(), "coarser distance");
    const VolumeView<float> smooth(coarse.data(), grid.size);
    coarsenOnDevice(phi, grid, smooth, asItIs, ctx);
    nlm::denoiseOnGrid(onDevice, smooth, asItIs, grid.spacing, parameters, report, ctx);
    refineOnDevice(smooth, grid, shiftOf(asItIs, smooth, grid.spacing, ctx), phi, ctx);
    return report;
}

} // namespace systole
