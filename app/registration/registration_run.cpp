#include "app/registration/registration_run.h"

#include "app/registration/iteration_store.h"
#include "app/registration/methods.h"
#include "compute/core/elapsed.h"
#include "compute/ops/jacobian.h"

#include <chrono>
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
    explicit Impl(Options given)
        : options(std::move(given))
        , store(options.keptBytes)
        , runs(options.threads, options.notify,
               [this](const RegistrationTask& task, std::uint64_t run, const ExecContext& ctx) {
                   estimate(task, run, ctx);
               }) {}

    void estimate(const RegistrationTask& task, std::uint64_t run, const ExecContext& ctx);
    void keep(std::uint64_t run, std::shared_ptr<const RegistrationIterate> iterate);
    void keepResult(std::uint64_t run, const RegistrationPlan& plan,
                    const RegistrationResult& result);
    RegistrationPoint nextPoint(std::uint64_t run);

    const Options options;
    bool begins = false; ///< the next iteration is the first; of the thread alone

    // Guarded by the lock of the runs.
    IterationStore store;
    RegistrationPair images;

    StatusRun<RegistrationTask, RegistrationStatus> runs; ///< last: it uses all of the above
};

void RegistrationRun::Impl::keep(std::uint64_t run,
                                 std::shared_ptr<const RegistrationIterate> iterate) {
    runs.change(run, [&](RegistrationStatus& status) {
        status.points.push_back(iterate->point);
        store.add(std::move(iterate));
        status.best = store.best()->number();
    });
}

/// The figures of the last iteration with the next one's number.
RegistrationPoint RegistrationRun::Impl::nextPoint(std::uint64_t run) {
    RegistrationPoint point;
    runs.change(run, [&](RegistrationStatus& status) {
        if (std::exchange(begins, false)) { // what a device that failed has found
            status.points.clear();
            store.clear();
        }
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
        keep(run, keptAffine(*result.affine, nextPoint(run), grid, runs.pool()));
    else if (!result.controlGrid)
        keep(run, keptField(result.displacement.view(), nextPoint(run), runs.pool()));
}

void RegistrationRun::Impl::estimate(const RegistrationTask& task, std::uint64_t run,
                                     const ExecContext& ctx) {
    const RegistrationPair opened = task.open(ctx);
    runs.change(run, [&](RegistrationStatus&) { images = opened; });
    DevicePolicy device(preferred(usesDevice(task.plan) ? Backend::Cuda : Backend::Cpu), {},
                        options.devices);
    const auto start = std::chrono::steady_clock::now();
    const RegistrationResult result = device.run(ctx, [&](const ExecContext& where) {
        begins = true;
        RegistrationPlan plan = planOn(where.backend, task.plan);
        plan.observe = [&](const RegistrationState& state) {
            const RegistrationPoint point{state.iteration, nextPoint(run).number,
                                          smallestJacobian(state, where)};
            keep(run, kept(state, point, opened.fixed->geometry, runs.pool()));
        };
        return registerImages({opened.fixed.get(), opened.moving.get()}, {}, plan, where);
    });
    keepResult(run, task.plan, result);
    runs.change(run, [&](RegistrationStatus& status) {
        status.best = status.points.back().number;
        status.seconds = secondsSince(start);
        status.note = device.fallback();
    });
}

RegistrationRun::RegistrationRun(Options options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
RegistrationRun::~RegistrationRun() = default;

void RegistrationRun::start(RegistrationTask task) {
    RegistrationStatus status;
    status.name = task.name;
    impl_->runs.start(std::move(task), std::move(status), [this] {
        impl_->store.clear();
        impl_->images = {};
    });
}

void RegistrationRun::stop() { impl_->runs.stop(); }

RegistrationStatus RegistrationRun::status() const {
    return impl_->runs.status([this](RegistrationStatus& status) {
        status.kept = impl_->store.numbers();
        status.keptBytes = impl_->store.bytes();
    });
}

RegistrationPair RegistrationRun::images() const {
    const auto lock = impl_->runs.lock();
    return impl_->images;
}

std::shared_ptr<const RegistrationIterate> RegistrationRun::iterate(int number) const {
    const auto lock = impl_->runs.lock();
    return impl_->store.find(number);
}

} // namespace systole
