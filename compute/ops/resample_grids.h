// The moving image on the fixed grid, through a displacement, where the grids differ.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/motion_estimator.h"
#include "compute/core/volume.h"

namespace systole {

enum class Interpolation {
    Nearest,
    Linear,
    Cubic,   ///< Keys' cubic convolution with a = −1/2 (IEEE TASSP 29(6), 1981)
    Majority ///< whole label with the largest sum of trilinear weights
};

struct GridSampling {
    Interpolation interpolation = Interpolation::Linear;
    /// Value of a voxel outside the moving grid; if `clamp`, the value at the border instead. A
    /// position is inside up to half a voxel beyond the outermost voxel centers.
    float outside = 0;
    bool clamp = false;
};

/// out(x) = moving at the point fixed.indexToPhysical(x + field(x)). `inside` (may be empty)
/// becomes 1 where that point is inside the moving grid, 0 elsewhere. All on the host; `field`,
/// `out` and `inside` of the fixed size, `moving` of the moving size.
void resampleMoving(VolumeView<const float> moving, FieldView<const float> field,
                    const FrameGrids& grids, const GridSampling& sampling, VolumeView<float> out,
                    VolumeView<float> inside, const ExecContext& ctx);

} // namespace systole
