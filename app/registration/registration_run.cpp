#include "app/registration/registration_run.h"

#include "app/registration/iteration_store.h"
#include "app/registration/two_grids.h"
#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "compute/core/newest_job_thread.h"
#include "compute/cuda/context.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace systole {

struct RegistrationRun::Impl {
    struct Job {
        RegistrationTask task;
        std::uint64_t run = 0;
    };
    using Thread = NewestJobThread<Job>;

    explicit Impl(Options given)
        : options(std::move(given))
        , team(options.threads)
        , store(options.keptBytes)
        , jobs({.run = [this](Job& job, const CancelToken& cancel) { run(job, cancel); }}) {}

    void run(const Job& job, const CancelToken& cancel);
    void estimate(const Job& job, const ExecContext& base);
    void keep(std::uint64_t run, const IterationState& state);
    bool endsWithSpline(std::uint64_t run);
    template <typename Change>
    void change(std::uint64_t run, const Change& change);

    const Options options;
    BufferPool pool;
    ThreadTeam team;

    // Guarded by the thread's lock.
    IterationStore store;
    RegistrationStatus status;
    RegistrationImages images;

    Thread jobs; ///< last: it uses all of the above
};

/// Unless another run has begun.
template <typename Change>
void RegistrationRun::Impl::change(std::uint64_t run, const Change& change) {
    {
        const Thread::Lock lock = jobs.lock();
        if (status.run != run)
            return;
        change();
    }
    if (options.notify)
        options.notify();
}

void RegistrationRun::Impl::keep(std::uint64_t run, const IterationState& state) {
    int number = 0;
    change(run, [&] { number = static_cast<int>(status.points.size()) + 1; });
    auto iterate = kept(state, number, pool);
    change(run, [&] {
        status.points.push_back(
            {number, iterate->level, iterate->iteration, iterate->energy, iterate->bending});
        store.add(std::move(iterate));
        status.best = store.best()->number;
    });
}

bool RegistrationRun::Impl::endsWithSpline(std::uint64_t run) {
    bool ends = false;
    change(run, [&] {
        const auto last = store.find(static_cast<int>(status.points.size()));
        ends = last && last->isSpline;
    });
    return ends;
}

void RegistrationRun::Impl::estimate(const Job& job, const ExecContext& base) {
    ExecContext ctx = base;
    ctx.backend = job.task.backend;
    const auto estimator = job.task.make(ctx.backend);
    RegistrationImages opened = job.task.open(ctx);
    if (!estimator->allowsTwoGrids())
        opened.moving = onGrid(opened.moving, opened.fixed->geometry, ctx);
    change(job.run, [&] { images = opened; });

    std::unique_ptr<CudaContext> device;
    if (ctx.backend == Backend::Cuda) {
        device = std::make_unique<CudaContext>(CudaContext::Options{});
        ctx.cuda = device.get();
    }
    ctx.iteration = [&](const IterationState& state) { keep(job.run, state); };
    MotionInput input;
    input.fixed = opened.fixed->view();
    input.moving = opened.moving->view();
    input.spacing = opened.fixed->geometry.spacing();
    input.grids = FrameGrids{opened.fixed->geometry, opened.moving->geometry};
    input.scale = job.task.scale;
    VectorField field(opened.fixed->geometry, pool, "motion of a registration");
    std::fill(field.components.span().begin(), field.components.span().end(), 0.0f);
    const auto start = std::chrono::steady_clock::now();
    const MotionReport report = estimator->estimate(input, field.view(), ctx);
    // What the method makes of its last iteration is the result: nothing is better. Of control
    // points the last ones are the result.
    if (!endsWithSpline(job.run))
        keep(job.run, {0, report.iterations, report.energy, std::as_const(field).view()});
    change(job.run, [&] {
        status.best = status.points.back().number;
        status.seconds = secondsSince(start);
    });
}

void RegistrationRun::Impl::run(const Job& job, const CancelToken& cancel) {
    ExecContext ctx;
    ctx.pool = &pool;
    ctx.threads = &team;
    ctx.cancel = cancel;
    std::string failure;
    bool stopped = false;
    try {
        estimate(job, ctx);
    } catch (const Cancelled&) {
        stopped = true;
    } catch (const std::exception& error) {
        failure = error.what();
    }
    change(job.run, [&] {
        status.running = false;
        status.stopped = stopped;
        status.failure = failure;
    });
}

RegistrationRun::RegistrationRun(Options options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
RegistrationRun::~RegistrationRun() = default;

void RegistrationRun::start(RegistrationTask task) {
    const auto lock = impl_->jobs.lock();
    impl_->jobs.cancelRunning();
    impl_->store.clear();
    impl_->images = {};
    const std::uint64_t run = impl_->status.run + 1;
    impl_->status = {};
    impl_->status.run = run;
    impl_->status.name = task.name;
    impl_->status.running = true;
    impl_->jobs.put({std::move(task), run});
}

void RegistrationRun::stop() {
    const auto lock = impl_->jobs.lock();
    impl_->jobs.cancelRunning();
    if (!impl_->jobs.waiting())
        return;
    impl_->jobs.drop(); // it hadn't begun
    impl_->status.running = false;
    impl_->status.stopped = true;
}

RegistrationStatus RegistrationRun::status() const {
    const auto lock = impl_->jobs.lock();
    RegistrationStatus status = impl_->status;
    status.kept = impl_->store.numbers();
    status.keptBytes = impl_->store.bytes();
    return status;
}

RegistrationImages RegistrationRun::images() const {
    const auto lock = impl_->jobs.lock();
    return impl_->images;
}

std::shared_ptr<const RegistrationIterate> RegistrationRun::iterate(int number) const {
    const auto lock = impl_->jobs.lock();
    return impl_->store.find(number);
}

} // namespace systole
