#include "app/features/motion/motion_schedule.h"

#include <memory>
#include <utility>
#include <vector>

namespace systole {
namespace {

/// The first and the last frame.
using Ends = std::pair<std::shared_ptr<const Volume>, std::shared_ptr<const Volume>>;

void addAll(std::vector<EstimatedPair> pairs, MotionResults& results) {
    for (EstimatedPair& pair : pairs)
        results.add(std::move(pair));
}

Ends runInTurn(const MotionJob& job, FrameStream& frames, MotionEstimation& estimation,
               MotionResults& results) {
    const std::shared_ptr<const Volume> first = frames.next();
    std::shared_ptr<const Volume> fixed = first, last;
    int fixedFrame = job.firstFrame;
    for (int frame = job.firstFrame + 1; frame <= job.lastFrame; ++frame) {
        const std::shared_ptr<const Volume> moving = frames.next();
        estimation.prefetch(frame + 1, frames.peek(frame + 1 - job.firstFrame));
        addAll(estimation.estimate(fixed, fixedFrame, moving, frame,
                                   frames.counters().lastReadSeconds),
               results);
        if (job.estimatesSinceFirst())
            results.addSinceFirst(estimation.estimateSinceFirst(first, moving, frame));
        last = moving;
        if (job.reference == ReferenceMode::Previous) {
            fixed = moving;
            fixedFrame = frame;
        }
    }
    return {first, last};
}

Ends runChains(const MotionJob& job, const ExecContext& ctx, FrameStream& frames,
               MotionEstimation& estimation, MotionResults& results) {
    SpreadPairs pairs({job.firstFrame, job.lastFrame, job.chain, [&] { return frames.next(); },
                       estimation.pairSettings(), job.workers},
                      ctx);
    Ends ends;
    for (int frame = job.firstFrame + 1; frame <= job.lastFrame; ++frame) {
        SpreadPairs::Estimated made = pairs.take();
        const std::shared_ptr<const Volume> moving = made.result.moving;
        if (!ends.first)
            ends.first = made.result.fixed;
        ends.second = moving;
        results.add(estimation.takeOver(std::move(made)));
        if (job.estimatesSinceFirst()) {
            const auto turn = pairs.turnOn(job.device.get());
            results.addSinceFirst(estimation.estimateSinceFirst(ends.first, moving, frame));
        }
    }
    return ends;
}

} // namespace

void runPairs(const MotionJob& job, const ExecContext& ctx, FrameStream& frames,
              MotionEstimation& estimation, MotionResults& results) {
    const auto [first, last] = job.chain > 0 ? runChains(job, ctx, frames, estimation, results)
                                             : runInTurn(job, frames, estimation, results);
    addAll(estimation.finish(), results);
    if (job.closeCycle) // the way back from the last frame to the first, which no filter smooths
        addAll(estimation.estimate(last, job.lastFrame, first, job.firstFrame, 0), results);
}

} // namespace systole
