// What the user is told when a motion didn't bring its frames closer.
#pragma once

#include "compute/core/frame_result.h"
#include "compute/core/motion_estimator.h"

#include <string>

namespace systole {

/// One sentence if contrastIsInverted() or residualStays() (compute/ops/residual.h), naming the
/// pair; else empty. `scale`: that of the sequence.
std::string residualWarning(const FrameResult& result, const IntensityScale& scale);

} // namespace systole
