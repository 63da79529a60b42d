#include "app/landmarks/wall_run.h"

#include "compute/core/newest_job_thread.h"

#include <utility>

namespace systole {
struct WallRun::Impl {
    using Thread = NewestJobThread<WallTask>;

    explicit Impl(Options given)
        : options(std::move(given))
        , team(options.threads)
        , jobs({.run = [this](WallTask& task, const CancelToken& cancel) { run(task, cancel); }}) {}

    void run(WallTask& task, const CancelToken& cancel);

    const Options options;
    BufferPool pool;
    ThreadTeam team;
    // Of the thread alone.
    std::shared_ptr<const WallStart> begun; ///< what `wall` is of
    std::optional<TracksInWall> wall;
    int label = 0;

    std::optional<WallOutcome> outcome; ///< guarded by the thread's lock

    Thread jobs; ///< last: it uses all of the above
};

void WallRun::Impl::run(WallTask& task, const CancelToken& cancel) {
    ExecContext ctx;
    ctx.pool = &pool;
    ctx.threads = &team;
    ctx.cancel = cancel;
    WallOutcome made;
    made.frame = task.frame;
    const JobEnd end = endOf([&] {
        if (begun != task.start || !wall) {
            wall.reset();
            begun = task.start;
            const Geometry& grid = begun->source.grid;
            const WallVoxels voxels = voxelsOf(begun->source, ctx);
            label = voxels.label;
            wall.emplace(VolumeView<const std::uint8_t>(voxels.inWall.data(), grid.size()), grid,
                         begun->points, begun->options);
        }
        made.label = label;
        made.points = wall->points();
        made.made = wall->carry(task.positions, ctx);
        made.positions = std::move(task.positions);
    });
    made.failure = end.failure;
    {
        const Thread::Lock lock = jobs.lock();
        if (end.stopped || cancel.cancelled())
            return;
        outcome = std::move(made);
    }
    if (options.notify)
        options.notify();
}

WallRun::WallRun(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
WallRun::~WallRun() = default;

void WallRun::start(WallTask task) {
    const auto lock = impl_->jobs.lock();
    impl_->jobs.cancelRunning();
    impl_->outcome.reset();
    impl_->jobs.put(std::move(task));
}

void WallRun::cancel() {
    const auto lock = impl_->jobs.lock();
    impl_->jobs.drop();
    impl_->jobs.cancelRunning();
    impl_->outcome.reset();
}

std::optional<WallOutcome> WallRun::take() {
    const auto lock = impl_->jobs.lock();
    return std::exchange(impl_->outcome, std::nullopt);
}

} // namespace systole
