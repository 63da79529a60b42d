#include "app/surface/surface_run.h"

#include "app/surface/surface_maker.h"
#include "compute/core/error.h"
#include "compute/core/newest_job_thread.h"
#include "compute/cuda/context.h"

#include <exception>
#include <utility>

namespace systole {
namespace {

/// Of the device's free memory: the estimation and the picture have most of it.
constexpr double deviceShare = 0.3;

} // namespace

struct SurfaceRun::Impl {
    using Thread = NewestJobThread<SurfaceTask>;

    explicit Impl(Options given)
        : options(std::move(given))
        , team(options.threads)
        , jobs({.run = [this](SurfaceTask& task, const CancelToken& cancel) { run(task, cancel); },
                .taken = [this](SurfaceTask&) { running = true; }}) {}

    void run(const SurfaceTask& task, const CancelToken& cancel);
    LiveSurface make(const SurfaceTask& task, const ExecContext& ctx);
    CudaContext* openDevice();
    void deliver(LiveSurface made, const CancelToken& cancel);

    const Options options;
    BufferPool pool;
    ThreadTeam team;
    // Used only by the thread.
    SurfaceMaker maker;
    std::unique_ptr<CudaContext> device; ///< opened with the first task that wants it
    bool triedDevice = false;

    // Guarded by the thread's lock.
    bool running = false;
    LiveSurfaces made;

    Thread jobs; ///< last: it uses all of the above
};

void SurfaceRun::Impl::deliver(LiveSurface surface, const CancelToken& cancel) {
    {
        const Thread::Lock lock = jobs.lock();
        if (cancel.cancelled())
            return;
        made.push_back(std::make_shared<const LiveSurface>(std::move(surface)));
    }
    if (options.notify)
        options.notify();
}

/// Null: there is none.
CudaContext* SurfaceRun::Impl::openDevice() {
    if (!std::exchange(triedDevice, true))
        try {
            device = std::make_unique<CudaContext>(CudaContext::Options{.share = deviceShare});
        } catch (const ComputeError&) {
            // A surface made on the processor is the same, and says where it was made.
        }
    return device.get();
}

LiveSurface SurfaceRun::Impl::make(const SurfaceTask& task, const ExecContext& ctx) {
    if (task.backend == Backend::Cuda && openDevice())
        try {
            ExecContext onDevice = ctx;
            onDevice.backend = Backend::Cuda;
            onDevice.cuda = device.get();
            return maker.make(task, onDevice);
        } catch (const OutOfMemory&) {
            device->devicePool().trim();
        }
    return maker.make(task, ctx);
}

void SurfaceRun::Impl::run(const SurfaceTask& task, const CancelToken& cancel) {
    ExecContext ctx;
    ctx.pool = &pool;
    ctx.threads = &team;
    ctx.cancel = cancel;
    int frame = task.from && !task.steps.empty() ? task.steps.front()->movingFrame : task.frame;
    try {
        if (task.from) {
            std::shared_ptr<const LiveSurface> last = task.from;
            for (const auto& step : task.steps) {
                frame = step->movingFrame;
                LiveSurface next = maker.carry(*last, *step, ctx);
                last = std::make_shared<const LiveSurface>(next);
                deliver(std::move(next), cancel);
            }
        } else {
            deliver(make(task, ctx), cancel);
        }
    } catch (const std::exception& error) {
        LiveSurface none;
        none.frame = frame;
        none.problem = error.what();
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

} // namespace systole
