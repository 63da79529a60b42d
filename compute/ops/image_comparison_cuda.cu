#include "compute/cuda/kernel_support.cuh"
#include "compute/ops/image_comparison.h"
#include "compute/ops/image_comparison_math.h"
#include "compute/ops/sample.h"

namespace systole {
namespace {

using namespace comparison;

/// A thread per voxel of the box. The moving image is read by loads: what neighbors read is in the
/// cache, and a texture's weights have 8 bits only.
template <ComparisonView view>
__global__ void __launch_bounds__(1024)
    draw(const __grid_constant__ Comparison c, const __grid_constant__ VoxelBox box, float* out) {
    const gpu::Column at = gpu::columnOf(box.size, 1);
    if (!at.inGrid)
        return;
    VolumeView<float>(out, box.size)(at.x, at.y, at.begin) =
        valueAt<view>(c, box.x + at.x, box.y + at.y, box.z + at.begin);
}

} // namespace

void drawComparisonOnDevice(ComparisonView view, const Comparison& comparison, const VoxelBox& box,
                            float* out, const ExecContext& ctx) {
    check(view, comparison, box);
    // The displacement, both images and the picture, each once.
    const double bytes = 4 * (6 * static_cast<double>(box.voxels()));
    loggedCall(ctx, "picture", [&](LaunchLog& log) {
        withView(view, [&]<ComparisonView chosen>() {
            log.launch({"comparison/picture", bytes, 60 * static_cast<double>(box.voxels())},
                       draw<chosen>, gpu::columnsOver(box.size, 1), comparison, box, out);
        });
    });
}

} // namespace systole
