// CUDA implementations that read their frames on the host: parts of theirs run there.
#pragma once

#include "compute/core/motion_estimator.h"

namespace systole {

/// The method, whose CUDA implementation then accepts frames and displacement on the device, too:
/// they are copied to the host, and the result back.
MotionMethod withHostFrames(MotionMethod method);

} // namespace systole
