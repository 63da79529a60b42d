#include "compute/core/error.h"
#include "compute/lab/kernels/spatial_gradient.h"
#include "compute/methods/ffd/warp.h"

#include <vector>

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
    const std::vector<float> ones(gradient.size.voxels(), 1.0f);
    warpForces({moving, {}, {}}, motion, {ones.data(), gradient.size}, gradient, ctx);
}

} // namespace systole::lab
