// Brightness that changes from place to place, by the bias field of a coil or by blood that flows
// in: a smooth gain and offset of the warped frame, estimated together with the motion.
#pragma once

#include "compute/methods/clg/brightness.h"
#include "compute/methods/clg/gain_field_math.h"

namespace systole {

/// Scratch of brightnessCells(levels, clg::gainCell) values each, owned by the caller.
struct GainScratch {
    clg::GainSums* sums;
    clg::BrightnessCoefficients* coefficients;
};

/// Changes `warped` to gain · warped + offset, both smooth, so that
///     ∇I · d + warped − fixed + a · contrast + b ≈ 0
/// in the least squares over each cell and its neighbors, with the weights of CLG's data term,
/// |∇I|² + `epsilon` below. d, the motion that is left, is eliminated: what it explains isn't taken
/// for brightness, and where brightness explains little of what the motion leaves, nothing changes.
void fitGain(const BrightnessFrames& frames, float epsilon, const GainScratch& scratch,
             const ExecContext& ctx);

} // namespace systole
