#include "app/segmentation/segment_run.h"

#include "app/segmentation/chamber_motion.h"
#include "compute/core/elapsed.h"
#include "compute/core/newest_job_thread.h"

#include <chrono>
#include <utility>

namespace systole {

struct SegmentRun::Impl {
    using Thread = NewestJobThread<SegmentTask>;

    explicit Impl(Options given)
        : options(std::move(given))
        , team(options.threads)
        , jobs({.run = [this](SegmentTask& task, const CancelToken& cancel) {
            run(task, cancel);
        }}) {}

    void run(const SegmentTask& task, const CancelToken& cancel);
    void notify() const {
        if (options.notify)
            options.notify();
    }

    const Options options;
    BufferPool pool;
    ThreadTeam team;
    /// Of the thread alone.
    std::optional<ChamberTracker> tracker;

    // Guarded by the thread's lock.
    Progress progress;
    std::optional<SegmentOutcome> outcome;

    Thread jobs; ///< last: it uses all of the above
};

void SegmentRun::Impl::run(const SegmentTask& task, const CancelToken& cancel) {
    const auto start = std::chrono::steady_clock::now();
    ExecContext ctx;
    ctx.pool = &pool;
    ctx.threads = &team;
    ctx.cancel = cancel;
    ctx.progress = [&](const std::string& phase, double fraction) {
        {
            const Thread::Lock lock = jobs.lock();
            if (cancel.cancelled())
                return;
            progress = {phase, fraction};
        }
        notify();
    };
    SegmentOutcome made;
    made.frame = task.frame;
    const JobEnd end = endOf([&] {
        if (!task.goesOn || task.from || !tracker)
            tracker.emplace(task.seeds, task.options, chamberMotion());
        if (task.from)
            tracker->next(*task.from, ctx);
        made.found = std::make_shared<const Segmentation>(tracker->next(*task.image, ctx));
    });
    made.failure = end.failure;
    made.seconds = secondsSince(start);
    {
        const Thread::Lock lock = jobs.lock();
        if (end.stopped || cancel.cancelled())
            return;
        outcome = std::move(made);
    }
    notify();
}

SegmentRun::SegmentRun(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
SegmentRun::~SegmentRun() = default;

void SegmentRun::start(SegmentTask task) {
    const auto lock = impl_->jobs.lock();
    impl_->jobs.cancelRunning();
    impl_->outcome.reset();
    impl_->progress = {};
    impl_->jobs.put(std::move(task));
}

void SegmentRun::cancel() {
    const auto lock = impl_->jobs.lock();
    impl_->jobs.drop();
    impl_->jobs.cancelRunning();
    impl_->outcome.reset();
}

SegmentRun::Progress SegmentRun::progress() const {
    const auto lock = impl_->jobs.lock();
    return impl_->progress;
}

std::optional<SegmentOutcome> SegmentRun::take() {
    const auto lock = impl_->jobs.lock();
    return std::exchange(impl_->outcome, std::nullopt);
}

} // namespace systole
