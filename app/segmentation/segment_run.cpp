#include "app/segmentation/segment_run.h"

#include "app/segmentation/chamber_motion.h"
#include "compute/core/elapsed.h"
#include "compute/core/newest_outcome_thread.h"

#include <chrono>
#include <utility>

namespace systole {

struct SegmentRun::Impl {
    explicit Impl(const Options& options)
        : notify(options.notify)
        , outcomes(options.threads, options.notify,
                   [this](const SegmentTask& task, SegmentOutcome& made, ExecContext& ctx) {
                       const auto begin = std::chrono::steady_clock::now();
                       segment(task, made, ctx);
                       made.seconds = secondsSince(begin);
                   }) {}

    void segment(const SegmentTask& task, SegmentOutcome& made, ExecContext& ctx);

    const std::function<void()> notify;
    /// Of the thread alone.
    std::optional<ChamberTracker> tracker;

    Progress progress; ///< guarded by the thread's lock

    NewestOutcomeThread<SegmentTask, SegmentOutcome> outcomes; ///< last: it uses all of the above
};

void SegmentRun::Impl::segment(const SegmentTask& task, SegmentOutcome& made, ExecContext& ctx) {
    ctx.progress = [this, &ctx](const std::string& phase, double fraction) {
        {
            const auto lock = outcomes.lock();
            if (ctx.cancel.cancelled())
                return;
            progress = {phase, fraction};
        }
        if (notify)
            notify();
    };
    if (!task.goesOn || task.from || !tracker)
        tracker.emplace(task.seeds, task.options, chamberMotion());
    if (task.from)
        tracker->next(*task.from, ctx);
    made.found = std::make_shared<const Segmentation>(tracker->next(*task.image, ctx));
}

SegmentRun::SegmentRun(Options options) : impl_(std::make_unique<Impl>(options)) {}
SegmentRun::~SegmentRun() = default;

void SegmentRun::start(SegmentTask task) {
    impl_->outcomes.start(std::move(task), [this] { impl_->progress = {}; });
}
void SegmentRun::cancel() { impl_->outcomes.cancel(); }
std::optional<SegmentOutcome> SegmentRun::take() { return impl_->outcomes.take(); }

SegmentRun::Progress SegmentRun::progress() const {
    const auto lock = impl_->outcomes.lock();
    return impl_->progress;
}

} // namespace systole
