// Copies a result on the device to the host.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/frame_result.h"

namespace systole {

/// Sets `field` and `warped` of a result that has `device`, in pinned memory if available. Waits
/// for the copies (stage "download").
void bringToHost(FrameResult& result, const ExecContext& ctx);

} // namespace systole
