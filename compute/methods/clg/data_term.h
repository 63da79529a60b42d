// Treatment of contrast that changes, and of the finest level's gradients, by the steps of CLG on
// the host.
#pragma once

#include "compute/methods/clg/plan.h"
#include "compute/methods/clg/steps.h"

namespace systole::clg {

/// Makes the warped frame's values comparable with those of the fixed one after a warp, as
/// ClgBrightness specifies. `brightness`: how far they were matched before, 0 to 1; returns how far
/// they are matched now.
double treatBrightness(const ClgParameters& p, const Warp& w, double brightness,
                       const ExecContext& ctx);

/// TensorInput::epsilon of a level's frames; `fixed`: as the warped frame is compared with it.
float tensorEpsilon(const ClgParameters& p, const LevelBuffers& b, VolumeView<const float> fixed,
                    const ExecContext& ctx);

struct GradientComparison {
    const ClgParameters& p;
    const LevelBuffers& b;
    const ClgForm& form;
    float prefilter; ///< width of the finest level's prefilter, if adaptive
    float epsilon;   ///< TensorInput::epsilon of the products
};
/// addGradientConstancy() to the products of the finest level. Overwrites its gradientFrames.
void compareGradients(const GradientComparison& of, const std::array<VolumeView<float>, 9>& product,
                      const ExecContext& ctx);

} // namespace systole::clg
