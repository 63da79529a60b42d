#include "app/registration/registration_run.h"

#include "app/registration/iteration_store.h"
#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "compute/core/newest_job_thread.h"
#include "compute/cuda/context.h"
#include "compute/ops/jacobian.h"

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace systole {
namespace {

std::optional<double> smallestJacobian(const RegistrationState& state, const ExecContext& ctx) {
    if (!state.method || !state.method->controlPoints.empty())
        return std::nullopt;
    return jacobianFigures(state.method->field, 0, ctx).smallest;
}

} // namespace

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
    void keep(std::uint64_t run, std::shared_ptr<const RegistrationIterate> iterate);
    void keepResult(std::uint64_t run, const RegistrationPlan& plan,
                    const RegistrationResult& result);
    RegistrationPoint nextPoint(std::uint64_t run);
    template <typename Change>
    void change(std::uint64_t run, const Change& change);

    const Options options;
    BufferPool pool;
    ThreadTeam team;

    // Guarded by the thread's lock.
    IterationStore store;
    RegistrationStatus status;
    RegistrationPair images;

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

void RegistrationRun::Impl::keep(std::uint64_t run,
                                 std::shared_ptr<const RegistrationIterate> iterate) {
    change(run, [&] {
        status.points.push_back(iterate->point);
        store.add(std::move(iterate));
        status.best = store.best()->number();
    });
}

/// The figures of the last iteration with the next one's number.
RegistrationPoint RegistrationRun::Impl::nextPoint(std::uint64_t run) {
    RegistrationPoint point;
    change(run, [&] {
        if (!status.points.empty())
            point = status.points.back();
        point.number = static_cast<int>(status.points.size()) + 1;
    });
    return point;
}

/// What a part makes of its last iteration is the result: nothing is better. Of a spline the last
/// control points are the result already.
void RegistrationRun::Impl::keepResult(std::uint64_t run, const RegistrationPlan& plan,
                                       const RegistrationResult& result) {
    const Geometry& grid = result.displacement.geometry;
    if (!plan.method)
        keep(run, keptAffine(*result.affine, nextPoint(run), grid, pool));
    else if (!result.controlGrid)
        keep(run, keptField(result.displacement.view(), nextPoint(run), pool));
}

void RegistrationRun::Impl::estimate(const Job& job, const ExecContext& base) {
    ExecContext ctx = base;
    const RegistrationPair opened = job.task.open(ctx);
    change(job.run, [&] { images = opened; });
    RegistrationPlan plan = job.task.plan;
    std::unique_ptr<CudaContext> device;
    if ((plan.affine && plan.affineBackend == Backend::Cuda) ||
        (plan.method && plan.methodBackend == Backend::Cuda)) {
        device = std::make_unique<CudaContext>(CudaContext::Options{});
        ctx.cuda = device.get();
    }
    plan.observe = [&](const RegistrationState& state) {
        const RegistrationPoint point{state.iteration, nextPoint(job.run).number,
                                      smallestJacobian(state, ctx)};
        keep(job.run, kept(state, point, opened.fixed->geometry, pool));
    };
    const auto start = std::chrono::steady_clock::now();
    const RegistrationResult result =
        registerImages({opened.fixed.get(), opened.moving.get()}, {}, plan, ctx);
    keepResult(job.run, plan, result);
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
    const JobEnd end = endOf([&] { estimate(job, ctx); });
    change(job.run, [&] {
        status.running = false;
        status.stopped = end.stopped;
        status.failure = end.failure;
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

RegistrationPair RegistrationRun::images() const {
    const auto lock = impl_->jobs.lock();
    return impl_->images;
}

std::shared_ptr<const RegistrationIterate> RegistrationRun::iterate(int number) const {
    const auto lock = impl_->jobs.lock();
    return impl_->store.find(number);
}

} // namespace systole
