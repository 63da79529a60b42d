// The host memory of `systole motion`.
#pragma once

#include "app/features/motion/motion_job.h"

namespace systole {

/// Throws ComputeError if the job needs more than there is.
void checkMotionMemory(const MotionJob& job, const ExecContext& ctx);

/// The pool for frames read ahead: copies to a device overlap with its work from pinned memory, as
/// long as there is enough of it.
BufferPool& framePool(const MotionJob& job, const ExecContext& ctx);

} // namespace systole
