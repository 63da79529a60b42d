#include "compute/cuda/context.h"
#include "compute/cuda/staged_copy.h"
#include "compute/cuda/uploaded.h"
#include "compute/surface/redistance.h"
#include "compute/surface/signed_distance.h"
#include "compute/surface/surface.h"

namespace systole {

void distanceOfLabelOnDevice(VolumeView<const float> labels, int label, const Geometry& geometry,
                             VolumeView<float> phi, const ExecContext& ctx) {
    const Buffer<std::uint8_t> inside = surface::insideOf(labels, label, geometry, ctx);
    const Buffer<std::uint8_t> onDevice = uploaded(inside.span(), "voxels of a label", *ctx.cuda);
    // Waits, so that the host's memory may go.
    signedDistanceOnDevice({onDevice.data(), labels.size}, geometry.spacing(), phi, ctx);
}

void distanceOfThresholdOnDevice(VolumeView<const float> values, float threshold,
                                 const Geometry& geometry, VolumeView<float> phi,
                                 const ExecContext& ctx) {
    surface::checkThreshold(values, threshold, geometry);
    Buffer<float> onDevice =
        ctx.cuda->devicePool().acquire<float>(values.voxels(), "gray values of a surface");
    uploadStaged(values.data, onDevice.data(), values.voxels(), ctx);
    distanceToLevelOnDevice({onDevice.data(), values.size}, threshold, Inside::Above,
                            geometry.spacing(), phi, ctx);
}

} // namespace systole
