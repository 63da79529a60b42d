// Keeps the volume that a surface encloses: noise doesn't change it, and what is read off a surface
// (an ejection fraction) mustn't change by denoising.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

/// Shift that is to be added to `after` so that it encloses as much as `before`, mm, at most half a
/// mean voxel side in either direction. Both are signed distances in mm, of one size, on the host.
/// A voxel counts as inside by the fraction clamp(1/2 − phi / side, 0, 1). The same bits for any
/// number of threads.
float volumeShift(VolumeView<const float> before, VolumeView<const float> after, Vec3 spacing,
                  const ExecContext& ctx);

} // namespace systole
