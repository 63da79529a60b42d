// An affine map as a displacement field.
#pragma once

#include "compute/core/affine_map.h"
#include "compute/core/exec.h"
#include "compute/core/motion_estimator.h"

namespace systole {

/// Sets `voxels` to the displacement of each voxel of the fixed grid under the map, in voxels along
/// its index axes: map(fixed.indexToPhysical(x)) = fixed.indexToPhysical(x + d(x)), whatever the
/// moving grid is. Host memory. Throws ComputeError if the field isn't of the fixed grid's size.
void displacementOf(const AffineMap& map, const FrameGrids& grids, FieldView<float> voxels,
                    const ExecContext& ctx);

} // namespace systole
