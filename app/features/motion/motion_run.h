// The work of systole motion, independent of its command line: frames in, fields and a record on
// disk out.
#pragma once

#include "app/cli/run_folder.h"
#include "app/features/motion/motion_job.h"
#include "app/features/motion/motion_record.h"
#include "app/task/task.h"

namespace systole {

/// Writes the fields into the folder as they are finished. Throws what the layers throw; on
/// Cancelled, the complete fields remain.
MotionRecord runMotion(const MotionJob& job, const ExecContext& ctx, RunFolder& folder);

/// The task as command and window run it.
const Task& motionTask();

} // namespace systole
