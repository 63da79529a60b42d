// Order of the pairs of one run of systole motion, and the devices on which they are estimated.
#pragma once

#include "app/features/motion/motion_estimation.h"
#include "app/features/motion/motion_results.h"
#include "io/base/stream.h"

namespace systole {

/// Estimates all pairs of the job and adds them to the results: one after the other on the job's
/// device, or, with MotionJob::chain, in chains on all workers. `frames` begin with the job's first
/// frame. `ctx`: context of the workers. Throws what reading, estimating and writing throw.
void runPairs(const MotionJob& job, const ExecContext& ctx, FrameStream& frames,
              MotionEstimation& estimation, MotionResults& results);

} // namespace systole
