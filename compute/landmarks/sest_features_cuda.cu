#include "compute/cuda/kernel_support.cuh"
#include "compute/landmarks/feature_planes.cuh"
#include "compute/landmarks/sest_math.h"

namespace systole {
namespace {

using namespace sest;

__global__ void featureKernel(VolumeView<const float> frame, float* planes) {
    const gpu::Column c = gpu::columnOf(frame.size, 1);
    if (!c.inGrid)
        return;
    float v[features];
    featuresAt(frame, {c.x, c.y, c.begin}, v);
#pragma unroll
    for (int f = 0; f < features; ++f)
        planes[static_cast<std::size_t>(f) * frame.voxels() + frame.offset(c.x, c.y, c.begin)] =
            v[f];
}

} // namespace

void gpu::sestFeatures(VolumeView<const float> frame, float* planes, LaunchLog& log) {
    const auto voxels = static_cast<double>(frame.voxels());
    log.launch({"sest features", 4 * (1 + features) * voxels, 28 * voxels}, featureKernel,
               columnsOver(frame.size, 1), frame, planes);
}

void sest::findFeaturesOnDevice(VolumeView<const float> frame, float* planes,
                                const ExecContext& ctx) {
    loggedCall(ctx, "gradient", [&](LaunchLog& log) { gpu::sestFeatures(frame, planes, log); });
}

} // namespace systole
