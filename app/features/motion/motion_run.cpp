#include "app/features/motion/motion_run.h"

#include "app/base/frame_range.h"
#include "app/features/motion/motion_estimation.h"
#include "app/features/motion/motion_memory.h"
#include "app/features/motion/motion_results.h"
#include "app/features/motion/motion_schedule.h"
#include "compute/core/elapsed.h"
#include "io/base/stream.h"

#include <chrono>

namespace systole {

MotionRecord runMotion(const MotionJob& job, const ExecContext& ctx, RunFolder& folder) {
    const auto start = std::chrono::steady_clock::now();
    checkMotionMemory(job, ctx);
    ctx.report("reading gray values", 0);
    MotionRecord record;
    record.scale = intensityScale(job.sequence, ctx);

    MotionEstimation estimation(job, ctx, record.scale);
    MotionResults results(job, estimation.context(), folder, record);
    FrameStream frames(rangeOf(job.sequence, job.firstFrame, job.lastFrame), StreamMode::EveryFrame,
                       3 * job.sequence.geometry.voxels() * sizeof(float), framePool(job, ctx));
    runPairs(job, ctx, frames, estimation, results);
    results.finish();
    record.fallback = estimation.fallbackReason();
    record.waitedSeconds = estimation.waitedSeconds();
    record.seconds = secondsSince(start);
    return record;
}

const Task& motionTask() {
    static const Task task{
        "motion", "The motion from frame to frame", nullptr, {Backend::Cpu, Backend::Cuda}};
    return task;
}

} // namespace systole
