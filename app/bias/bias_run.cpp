#include "app/bias/bias_run.h"

#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "compute/core/newest_job_thread.h"
#include "compute/cuda/context.h"
#include "compute/motion/methods.h"
#include "compute/ops/jacobian.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

namespace systole {
namespace {

std::shared_ptr<const Volume> logarithmMap(FieldView<const float> field, const Geometry& grid,
                                           const ExecContext& ctx) {
    auto map = std::make_shared<Volume>(grid, *ctx.pool, "log |J|");
    jacobianMap(field, map->view(), ctx);
    for (float& value : map->view().span())
        value = std::log(std::max(value, leastDeterminant));
    return map;
}

/// The mean of `count` maps, from that of all but the last.
std::shared_ptr<const Volume> withMap(const std::shared_ptr<const Volume>& mean,
                                      const std::shared_ptr<const Volume>& last, std::size_t count,
                                      const ExecContext& ctx) {
    if (!mean)
        return last;
    auto next = std::make_shared<Volume>(last->geometry, *ctx.pool, "mean of log |J|");
    const auto part = static_cast<float>(1.0 / static_cast<double>(count));
    std::transform(mean->view().data, mean->view().data + mean->view().voxels(), last->view().data,
                   next->view().data,
                   [part](float before, float now) { return before + part * (now - before); });
    return next;
}

} // namespace

const std::vector<std::string>& usualBiasMethods() {
    static const std::vector<std::string> methods{"clg", "ffd", "unbiased"};
    return methods;
}

struct BiasRun::Impl {
    struct Job {
        BiasTask task;
        std::uint64_t run = 0;
    };
    using Thread = NewestJobThread<Job>;

    explicit Impl(Options given)
        : options(std::move(given))
        , team(options.threads)
        , jobs({.run = [this](Job& job, const CancelToken& cancel) { run(job, cancel); }}) {}

    void run(const Job& job, const CancelToken& cancel);
    void repeatAll(const Job& job, const ExecContext& base);
    void repeat(const BiasTask& task, const NoisyCopies& copies, NullRegistration& registration,
                BiasColumn& column, const ExecContext& ctx);
    template <typename Change>
    void change(std::uint64_t run, const Change& change);

    const Options options;
    BufferPool pool;
    ThreadTeam team;

    BiasStatus status; ///< guarded by the thread's lock

    Thread jobs; ///< last: it uses all of the above
};

/// Unless another run has begun.
template <typename Change>
void BiasRun::Impl::change(std::uint64_t run, const Change& change) {
    {
        const Thread::Lock lock = jobs.lock();
        if (status.run != run)
            return;
        change();
    }
    if (options.notify)
        options.notify();
}

void BiasRun::Impl::repeat(const BiasTask& task, const NoisyCopies& copies,
                           NullRegistration& registration, BiasColumn& column,
                           const ExecContext& ctx) {
    const auto start = std::chrono::steady_clock::now();
    column.series.add(registration.run(copies, task.scale, {}, ctx));
    column.seconds = secondsSince(start);
    column.last = logarithmMap(registration.field(), task.image->geometry, ctx);
    column.mean = withMap(column.mean, column.last, column.series.count(), ctx);
}

void BiasRun::Impl::repeatAll(const Job& job, const ExecContext& base) {
    const BiasTask& task = job.task;
    ExecContext ctx = base;
    std::unique_ptr<CudaContext> device;
    if (task.backend == Backend::Cuda) {
        device = std::make_unique<CudaContext>(CudaContext::Options{});
        ctx.cuda = device.get();
    }
    const double deviation = noiseDeviation(task.noiseShare, task.scale);
    std::vector<NullRegistration> registrations;
    std::vector<BiasColumn> columns;
    for (const std::string& method : task.methods) {
        registrations.emplace_back(motionMethod(method), task.backend, task.image->geometry, pool);
        columns.push_back({method, {}, 0, nullptr, nullptr});
    }
    const auto all =
        static_cast<double>(task.repetitions) * static_cast<double>(registrations.size());
    double done = 0;
    for (int n = 0; n < task.repetitions; ++n) {
        const NoisyCopies copies(*task.image, deviation, task.seed + static_cast<std::uint64_t>(n),
                                 ctx);
        for (std::size_t column = 0; column < registrations.size(); ++column) {
            change(job.run, [&] {
                status.phase = fmt::format("repetition {} of {}, {}", n + 1, task.repetitions,
                                           task.methods[column]);
                status.fraction = done / all;
            });
            repeat(task, copies, registrations[column], columns[column], ctx);
            ++done;
            change(job.run, [&] { status.columns[column] = columns[column]; });
        }
    }
}

void BiasRun::Impl::run(const Job& job, const CancelToken& cancel) {
    ExecContext ctx;
    ctx.pool = &pool;
    ctx.threads = &team;
    ctx.cancel = cancel;
    const JobEnd end = endOf([&] { repeatAll(job, ctx); });
    change(job.run, [&] {
        status.running = false;
        status.stopped = end.stopped;
        status.failure = end.failure;
        status.fraction = 1;
        status.phase.clear();
    });
}

BiasRun::BiasRun(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
BiasRun::~BiasRun() = default;

void BiasRun::start(BiasTask task) {
    const auto lock = impl_->jobs.lock();
    impl_->jobs.cancelRunning();
    BiasStatus status;
    status.run = impl_->status.run + 1;
    status.name = task.name;
    status.backend = task.backend;
    status.noiseShare = task.noiseShare;
    status.repetitions = task.repetitions;
    status.running = true;
    for (const std::string& method : task.methods)
        status.columns.push_back({method, {}, 0, nullptr, nullptr});
    impl_->status = std::move(status);
    impl_->jobs.put({std::move(task), impl_->status.run});
}

void BiasRun::stop() {
    const auto lock = impl_->jobs.lock();
    impl_->jobs.cancelRunning();
    if (!impl_->jobs.waiting())
        return;
    impl_->jobs.drop(); // it hadn't begun
    impl_->status.running = false;
    impl_->status.stopped = true;
}

BiasStatus BiasRun::status() const {
    const auto lock = impl_->jobs.lock();
    return impl_->status;
}

std::string biasHeadline(const BiasStatus& status) {
    constexpr double unlikely = 0.01;
    std::string text;
    for (const BiasColumn& column : status.columns) {
        if (column.series.count() == 0)
            continue;
        const TTest test = column.series.volume();
        const bool told = test.p < unlikely; // false for NaN
        text += fmt::format("{}{}: mean log |J| {:+.5f} ± {:.5f}{}", text.empty() ? "" : "; ",
                            column.method, test.mean, test.deviation,
                            std::isnan(test.p) ? std::string()
                                               : fmt::format(" (p = {:.2g}: {})", test.p,
                                                             told ? "a bias" : "none found"));
    }
    if (text.empty())
        return "Nothing was registered yet.";
    return fmt::format("{} of {} repetitions of noise alone. {}.",
                       status.columns.empty() ? 0 : status.columns.back().series.count(),
                       status.repetitions, text);
}

} // namespace systole
