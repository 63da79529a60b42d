// Draws of the error of a motion that CLG found.
#pragma once

#include "compute/methods/clg/clg.h"

#include <functional>

namespace systole {

/// See DrawErrors (compute/motion/motion_errors.h). The linear system is that of one warp more on
/// the finest level from `displacement`. Draws are those of error_draw.h times a factor per voxel
/// and axis, which lets for errors that are correlated further than the draws' weights, and is
/// calibrated on phantoms: docs/numerics/standard-errors.md has it, docs/results.md how far it
/// holds.
void drawClgErrors(const ClgParameters& parameters, const MotionInput& input,
                   FieldView<const float> displacement, int draws,
                   const std::function<void(FieldView<const float>)>& take, const ExecContext& ctx);

} // namespace systole
