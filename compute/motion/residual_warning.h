// Warnings for the user when a motion didn't bring its frames closer.
#pragma once

#include "compute/core/frame_result.h"
#include "compute/core/motion_estimator.h"

#include <string>

namespace systole {

/// One sentence if contrastIsInverted() or residualStays() (compute/ops/residual.h), naming the
/// pair, or if the parameters leave hardly any motion; else empty. `scale`: that of the sequence.
/// Numbers of `parameters`, those of the method, that are far from their default are named as the
/// likely cause; null: they aren't known.
std::string residualWarning(const FrameResult& result, const IntensityScale& scale,
                            const ParamSet* parameters = nullptr);

/// "smoothness 100": the numbers far from their default of a motion that removes less of the
/// frames' difference than any with usual ones; empty: there are none, or it removes more.
std::string hindranceOf(const FrameResult& result, const IntensityScale& scale,
                        const ParamSet& parameters);

} // namespace systole
