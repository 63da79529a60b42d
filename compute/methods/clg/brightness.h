// Frames whose brightness differs, by the gain of the scanner or by a bias field: local mean and
// deviation of the warped frame are matched to those of the fixed one, as far as the frames
// themselves show that motion doesn't explain the difference. The rules are in
// docs/numerics/clg-brightness.md.
#pragma once

#include "compute/core/exec.h"
#include "compute/methods/clg/brightness_math.h"
#include "compute/ops/pyramid.h"

namespace systole {

/// The largest number of cells of this side on any level.
std::size_t brightnessCells(const std::vector<PyramidLevel>& levels,
                            float length = clg::brightnessCell);

/// Scratch of brightnessCells() values each, owned by the caller.
struct BrightnessScratch {
    clg::BrightnessSums* sums;
    clg::BrightnessCoefficients* coefficients;
};

struct BrightnessFrames {
    VolumeView<const float> fixed;
    VolumeView<float> warped;
    VolumeView<const float> inside; ///< 1 where the warped value is data, 0 where not
    std::array<float, 3> scale;     ///< PyramidLevel::scale() of the volumes' grid
};
/// How far brightness differs in a way that motion doesn't explain, from 0 to 1. The measure is the
/// share that the mean differences of cells have in the squared residual over the voxels inside,
/// but at least `before`: what has shown before the motion was found remains. `shares`:
/// coarseShares or finestShares. Fills the scratch.
double findBrightness(const BrightnessFrames& frames, const clg::BrightnessShares& shares,
                      double before, const BrightnessScratch& scratch, const ExecContext& ctx);
/// Matches `warped` to `fixed` in place and returns by how much (findBrightness): 0 leaves every
/// bit.
double matchBrightness(const BrightnessFrames& frames, const clg::BrightnessShares& shares,
                       double before, const BrightnessScratch& scratch, const ExecContext& ctx);

} // namespace systole
