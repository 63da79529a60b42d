// Treatment of contrast that changes, and of the finest level's gradients, by the steps of CLG on
// the device: the counterpart of data_term.h.
#pragma once

#include "compute/methods/clg/plan.h"
#include "compute/methods/clg/steps_cuda.cuh"

namespace systole::clg {

/// The state's `brightness` becomes by how much the warped frame's values were matched.
void treatBrightness(const ClgParameters& p, const Warp& w, const MatchedFrames& frames,
                     const gpu::GridSum& sum, LaunchLog& log);

/// addGradientConstancy() to the tensor of the finest level. Overwrites the other field and the
/// level's gradientFrames.
void compareGradients(const ClgParameters& p, const Warp& w, const TensorStep& tensor,
                      const gpu::GridSum& sum, LaunchLog& log);

} // namespace systole::clg
