// Sums over a Gaussian window around each voxel, of the voxels inside the image alone: unlike
// smoothGaussian() its own transpose, which exact derivatives need.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

/// values ← Σ over the window of weight · value, in place; nothing beyond the border. `scratch` has
/// the size of the values.
void windowSum(VolumeView<float> values, Vec3 sigmaVoxels, VolumeView<float> scratch,
               const ExecContext& ctx);

} // namespace systole
