#include "app/features/surface/frame_distance.h"

#include "compute/surface/isosurface.h"
#include "compute/surface/nonlocal_surface.h"
#include "compute/surface/point_values.h"
#include "compute/surface/surface.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// The backend cuda doesn't exist in a build without CUDA, and its functions aren't defined.
bool isOnDevice(const ExecContext& ctx) { return cudaIsBuilt && ctx.backend == Backend::Cuda; }

BufferPool& poolOf(const ExecContext& ctx) {
    return isOnDevice(ctx) ? ctx.cuda->devicePool() : *ctx.pool;
}

} // namespace

DenoiseReport denoiseUnder(DevicePolicy& device, const SurfaceMethod& method, Volume& phi,
                           const ParamSet& parameters, const ExecContext& ctx) {
    DenoiseReport report;
    phi = device.run(ctx, [&](const ExecContext& where) {
        Volume denoised(phi.geometry, *ctx.pool, "denoised distance");
        std::ranges::copy(phi.voxels.span(), denoised.voxels.data());
        report = denoiseSurface(method, denoised.view(), phi.geometry, parameters, where);
        return denoised;
    });
    return report;
}

FrameDistance::FrameDistance(const Geometry& geometry, const ExecContext& ctx)
    : phi_(geometry, poolOf(ctx), "signed distance") {}

FrameDistance FrameDistance::ofLabel(const Volume& source, int label, const ExecContext& ctx) {
    FrameDistance made(source.geometry, ctx);
    const VolumeView<float> phi = made.phi_.view();
    if constexpr (cudaIsBuilt)
        if (isOnDevice(ctx)) {
            distanceOfLabelOnDevice(source.view(), label, source.geometry, phi, ctx);
            return made;
        }
    distanceOfLabel(source.view(), label, source.geometry, phi, ctx);
    return made;
}

FrameDistance FrameDistance::ofThreshold(const Volume& source, float threshold,
                                         const ExecContext& ctx) {
    FrameDistance made(source.geometry, ctx);
    const VolumeView<float> phi = made.phi_.view();
    if constexpr (cudaIsBuilt)
        if (isOnDevice(ctx)) {
            distanceOfThresholdOnDevice(source.view(), threshold, source.geometry, phi, ctx);
            return made;
        }
    distanceOfThreshold(source.view(), threshold, source.geometry, phi, ctx);
    return made;
}

ExtractedSurface FrameDistance::extract(const ExecContext& ctx) const {
    constexpr SurfaceEdge edge = SurfaceEdge::Closed;
    if constexpr (cudaIsBuilt)
        if (isOnDevice(ctx)) {
            auto onDevice = std::make_shared<DeviceMesh>(
                deviceIsosurface(phi_.view(), phi_.geometry, edge, ctx));
            auto mesh = std::make_shared<TriangleMesh>(toHost(*onDevice, *ctx.cuda));
            return {std::move(mesh), std::move(onDevice)};
        }
    return {std::make_shared<TriangleMesh>(isosurface(phi_.view(), phi_.geometry, edge, ctx)),
            nullptr};
}

DenoiseReport FrameDistance::denoise(const NonlocalMeansParameters& parameters,
                                     const ExecContext& ctx) {
    noisy_ = Volume(phi_.geometry, poolOf(ctx), "signed distance before denoising");
    const Vec3 spacing = phi_.geometry.spacing();
    if constexpr (cudaIsBuilt)
        if (isOnDevice(ctx)) {
            ctx.cuda->copyOnDevice(phi_.voxels.data(), noisy_.voxels.data(),
                                   phi_.voxels.size() * sizeof(float), CudaStream::Compute);
            return denoiseNonlocallyOnDevice(phi_.view(), spacing, parameters, ctx);
        }
    std::ranges::copy(phi_.voxels.span(), noisy_.voxels.data());
    return denoiseNonlocally(phi_.view(), spacing, parameters, ctx);
}

std::vector<float> FrameDistance::distancesFromOriginal(const ExtractedSurface& surface,
                                                        const ExecContext& ctx) const {
    std::vector<float> values;
    if constexpr (cudaIsBuilt)
        if (surface.onDevice)
            values = valuesAtPointsOnDevice(noisy_.view(), noisy_.geometry, *surface.onDevice, ctx);
    if (!surface.onDevice)
        values = valuesAtPoints(noisy_.view(), noisy_.geometry, *surface.mesh, ctx);
    for (float& value : values)
        value = std::abs(value);
    return values;
}

} // namespace systole
