#include "app/features/surface/surface_run.h"

#include "app/features/surface/surface_maker.h"
#include "compute/core/newest_job_thread.h"

#include <utility>

namespace systole {
namespace {

/// Share of the device's free memory: the estimation and the picture have most of it.
constexpr double deviceShare = 0.3;

} // namespace

struct SurfaceRun::Impl {
    using Thread = NewestJobThread<SurfaceTask>;

    explicit Impl(Options given)
        : options(std::move(given))
        , team(options.threads)
        , device(preferred(Backend::Cuda), {.share = deviceShare}, options.devices)
        , jobs({.run = [this](SurfaceTask& task, const CancelToken& cancel) { run(task, cancel); },
                .taken = [this](SurfaceTask&) { running = true; }}) {}

    void run(const SurfaceTask& task, const CancelToken& cancel);
    LiveSurface make(const SurfaceTask& task, const ExecContext& ctx);
    void deliver(std::shared_ptr<const LiveSurface> surface, const CancelToken& cancel);

    const Options options;
    BufferPool pool;
    ThreadTeam team;
    // Used only by the thread.
    SurfaceMaker maker;
    DevicePolicy device; ///< opened with the first task that wants it

    // Guarded by the thread's lock.
    bool running = false;
    LiveSurfaces made;

    Thread jobs; ///< last: it uses all of the above
};

void SurfaceRun::Impl::deliver(std::shared_ptr<const LiveSurface> surface,
                               const CancelToken& cancel) {
    {
        const Thread::Lock lock = jobs.lock();
        if (cancel.cancelled())
            return;
        made.push_back(std::move(surface));
    }
    if (options.notify)
        options.notify();
}

LiveSurface SurfaceRun::Impl::make(const SurfaceTask& task, const ExecContext& ctx) {
    if (task.backend != Backend::Cuda)
        return maker.make(task, ctx);
    device.tryAgain();
    LiveSurface made =
        device.run(ctx, [&](const ExecContext& where) { return maker.make(task, where); });
    if (!device.fallback().empty())
        made.note = device.fallback();
    return made;
}

void SurfaceRun::Impl::run(const SurfaceTask& task, const CancelToken& cancel) {
    const ExecContext ctx = contextOf(pool, team, cancel);
    const JobEnd end = endOf([&] {
        deliver(std::make_shared<const LiveSurface>(
                    task.from ? maker.carry(*task.from, *task.motion, ctx) : make(task, ctx)),
                cancel);
    });
    if (!end.failure.empty()) {
        auto none = std::make_shared<LiveSurface>();
        none->frame = task.from ? task.motion->movingFrame : task.frame;
        none->carried = task.choice.isCarried(); // of the series that waits for it
        none->problem = end.failure;
        deliver(std::move(none), cancel);
    }
    {
        const Thread::Lock lock = jobs.lock();
        running = false;
    }
    if (options.notify)
        options.notify();
}

SurfaceRun::SurfaceRun(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
SurfaceRun::~SurfaceRun() = default;

void SurfaceRun::start(SurfaceTask task) {
    const auto lock = impl_->jobs.lock();
    impl_->jobs.put(std::move(task));
}

void SurfaceRun::cancel() {
    const auto lock = impl_->jobs.lock();
    impl_->jobs.drop();
    impl_->jobs.cancelRunning();
    impl_->made.clear();
}

bool SurfaceRun::busy() const {
    const auto lock = impl_->jobs.lock();
    return impl_->running || impl_->jobs.waiting();
}

LiveSurfaces SurfaceRun::take() {
    const auto lock = impl_->jobs.lock();
    return std::exchange(impl_->made, {});
}

const Task& denoiseTask() {
    static const Task task{"denoise",
                           "The surface of a label or a threshold",
                           &nonlocalMeansTable(),
                           {Backend::Cpu, Backend::Cuda}};
    return task;
}

} // namespace systole
