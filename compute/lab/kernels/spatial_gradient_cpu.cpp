#include "compute/core/error.h"
#include "compute/lab/kernels/spatial_gradient.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/sample_gradient.h"

namespace systole::lab {

void checkSpatialGradient(VolumeView<const float> moving, FieldView<const float> motion,
                          FieldView<float> gradient) {
    if (motion.size != gradient.size)
        throw ComputeError("a motion and the gradient of the image that it warps must be of one "
                           "size");
    if (moving.voxels() == 0)
        throw ComputeError("an image whose gradient is wanted must have voxels");
}

void spatialGradient(VolumeView<const float> moving, FieldView<const float> motion,
                     FieldView<float> gradient, const ExecContext& ctx) {
    checkSpatialGradient(moving, motion, gradient);
    const auto voxel = [=](std::size_t i) { return moving.data[i]; };
    overVoxels(gradient.size, ctx, [=](int x, int y, int z) {
        const std::size_t i = gradient.componentView(0).offset(x, y, z);
        const MovingPosition p{static_cast<float>(x) + motion.u[i],
                               static_cast<float>(y) + motion.v[i],
                               static_cast<float>(z) + motion.w[i]};
        const TrilinearGradient g(TrilinearCell(voxel, moving.size, p), moving.size, p);
        gradient.u[i] = g.x;
        gradient.v[i] = g.y;
        gradient.w[i] = g.z;
    });
}

} // namespace systole::lab
