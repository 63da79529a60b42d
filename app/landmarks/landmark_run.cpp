#include "app/landmarks/landmark_run.h"

#include "compute/core/elapsed.h"
#include "compute/core/newest_job_thread.h"

#include <chrono>
#include <utility>

namespace systole {

struct LandmarkRun::Impl {
    using Thread = NewestJobThread<LandmarkTask>;

    explicit Impl(Options given)
        : options(std::move(given))
        , team(options.threads)
        , jobs({.run = [this](LandmarkTask& task, const CancelToken& cancel) {
            run(task, cancel);
        }}) {}

    void run(const LandmarkTask& task, const CancelToken& cancel);

    const Options options;
    BufferPool pool;
    ThreadTeam team;
    /// Of the thread alone.
    std::optional<LandmarkTracker> tracker;

    std::optional<LandmarkOutcome> outcome; ///< guarded by the thread's lock

    Thread jobs; ///< last: it uses all of the above
};

void LandmarkRun::Impl::run(const LandmarkTask& task, const CancelToken& cancel) {
    const auto begin = std::chrono::steady_clock::now();
    ExecContext ctx;
    ctx.pool = &pool;
    ctx.threads = &team;
    ctx.cancel = cancel;
    LandmarkOutcome made;
    made.frame = task.frame;
    made.detected = task.detect.has_value();
    const Geometry& grid = task.image->geometry;
    const JobEnd end = endOf([&] {
        if (task.detect) {
            std::vector<float> mask;
            if (task.within) {
                const WallVoxels wall = voxelsOf(*task.within, ctx);
                mask.assign(wall.inWall.begin(), wall.inWall.end());
            }
            made.corners =
                findCorners(task.image->view(), grid.spacing(),
                            mask.empty() ? VolumeView<const float>()
                                         : VolumeView<const float>(mask.data(), grid.size()),
                            *task.detect, ctx);
            return;
        }
        if (task.start) {
            tracker.reset();
            tracker.emplace(grid.size(), grid.spacing(), task.start->scale, task.start->settings,
                            ctx);
            tracker->start(task.start->image->view(), task.start->voxels, ctx);
        }
        const TrackStep step = tracker->advance(task.image->view(), ctx);
        made.points.assign(step.points.begin(), step.points.end());
        made.counts = step.counts;
    });
    made.failure = end.failure;
    made.seconds = secondsSince(begin);
    {
        const Thread::Lock lock = jobs.lock();
        if (end.stopped || cancel.cancelled())
            return;
        outcome = std::move(made);
    }
    if (options.notify)
        options.notify();
}

LandmarkRun::LandmarkRun(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
LandmarkRun::~LandmarkRun() = default;

void LandmarkRun::start(LandmarkTask task) {
    const auto lock = impl_->jobs.lock();
    impl_->jobs.cancelRunning();
    impl_->outcome.reset();
    impl_->jobs.put(std::move(task));
}

void LandmarkRun::cancel() {
    const auto lock = impl_->jobs.lock();
    impl_->jobs.drop();
    impl_->jobs.cancelRunning();
    impl_->outcome.reset();
}

std::optional<LandmarkOutcome> LandmarkRun::take() {
    const auto lock = impl_->jobs.lock();
    return std::exchange(impl_->outcome, std::nullopt);
}

} // namespace systole
