// Motion over a window of frames on the compute thread: each step is estimated and shown, then
// passes the TrajectoryFilter, which gives back the frames whose window it completes.
#include "app/estimation/pipeline_impl.h"

#include <iterator>
#include <utility>

namespace systole {

void Pipeline::Impl::runStep(const Job& job, const CancelToken& cancel) {
    if (job.frame() == 1)
        filter.emplace(job.settings.window);
    stepsLost = false;
    FrameResult result = estimate(job, cancel);
    result.sinceFirst = true;
    result.generation = job.generation;
    ExecContext ctx = context(job, cancel);
    ctx.cuda = pairs.device();
    FrameResult asEstimated = result;
    runStages(stages, asEstimated, ctx);
    finish(job, std::move(asEstimated));
    if (stepsLost && job.frame() > 1)
        return restartWindow();
    try {
        smooth(job, std::move(result), ctx);
    } catch (...) {
        restartWindow(); // the filter may have lost a frame
        throw;
    }
}

void Pipeline::Impl::smooth(const Job& job, FrameResult estimate, const ExecContext& ctx) {
    std::vector<FrameResult> ready = filter->add(std::move(estimate), job.step->seconds, ctx);
    if (job.step->last) {
        std::vector<FrameResult> rest = filter->finish(ctx);
        std::move(rest.begin(), rest.end(), std::back_inserter(ready));
    }
    for (FrameResult& result : ready) {
        runStages(stages, result, ctx);
        if (job.settings.standardErrors)
            addStandardError(result, ctx);
        keepSmoothed(job, std::move(result));
    }
    if (!ready.empty() && options.notify)
        options.notify();
}

/// Goes to the next step unless a request to begin again has come meanwhile. The caller holds the
/// lock.
void Pipeline::Impl::advance(const Job& job) {
    if (told.window.nextStep != job.frame())
        return;
    told.window.nextStep = job.step->last ? 1 : job.frame() + 1;
    if (job.step->last)
        ++told.window.rounds;
}

void Pipeline::Impl::keepSmoothed(const Job& job, FrameResult result) {
    auto shared = std::make_shared<const FrameResult>(std::move(result));
    const Thread::Lock lock = jobs.lock();
    if (job.generation == told.generation)
        cache.put(std::move(shared), FieldStart::Zero);
}

void Pipeline::Impl::restartWindow() {
    const Thread::Lock lock = jobs.lock();
    told.window = {};
}

} // namespace systole
