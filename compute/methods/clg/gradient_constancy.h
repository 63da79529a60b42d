// Gradient constancy: tissue keeps its gradient where it keeps its gray value (Brox et al., High
// accuracy optical flow estimation based on a theory for warping, ECCV 2004). A second data term of
// CLG beside the gray values, one channel for each component:
//
//     channel_a(x) = s_a (I(x + e_a) − I(x − e_a)),   I smoothed, s_a the voxels per smallest
//     spacing
//
// An offset that varies slowly has no gradient, and three equations at a voxel leave no aperture.
// Gray values are weighed anew at the same time: divided by the root of their norm, not by itself.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/methods/clg/gradient_constancy_math.h"

#include <array>

namespace systole {

struct GradientConstancyInput {
    VolumeView<const float> fixed, warped;
    /// fixed + warped and warped − fixed, both smoothed (comparedGradientWidth).
    VolumeView<const float> sum, difference;
    VolumeView<const float> inside;      ///< 1 where the warped value is data, 0 where not
    std::array<float, 3> scale{1, 1, 1}; ///< PyramidLevel::scale() of the volumes' grid
    float share = 0;                     ///< gradientShare()
    /// TensorInput::epsilon of the products, which are given rootFactor(); negative: they aren't.
    float epsilon = -1;
};

/// product[k] ← (1 − share) · root · product[k] + share · (sum of the channels' products, divided
/// by the sum of their squared gradients and the mean of their squared differences, as
/// ClgForm::tensor does): central differences of the mean of both frames.
void addGradientConstancy(const GradientConstancyInput& input,
                          const std::array<VolumeView<float>, 9>& product, const ExecContext& ctx);

} // namespace systole
