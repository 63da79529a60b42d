#include "app/features/registration/registration_run.h"

#include "app/estimation/registration_methods.h"
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

RegistrationRun::RegistrationRun(Options options)
    : devices_(std::move(options.devices))
    , store_(options.keptBytes)
    , runs_(options.threads, std::move(options.notify),
            [this](const RegistrationTask& task, std::uint64_t run, const ExecContext& ctx) {
                estimate(task, run, ctx);
            }) {}

void RegistrationRun::keep(std::uint64_t run, std::shared_ptr<const RegistrationIterate> iterate) {
    runs_.change(run, [&](RegistrationStatus& status) {
        status.points.push_back(iterate->point);
        store_.add(std::move(iterate));
        status.best = store_.best()->number();
    });
}

/// The figures of the last iteration with the next one's number.
RegistrationPoint RegistrationRun::nextPoint(std::uint64_t run) {
    RegistrationPoint point;
    runs_.change(run, [&](RegistrationStatus& status) {
        if (std::exchange(begins_, false)) { // forgets iterations of a device that failed
            status.points.clear();
            store_.clear();
        }
        if (!status.points.empty())
            point = status.points.back();
        point.number = static_cast<int>(status.points.size()) + 1;
    });
    return point;
}

/// Stores the field that a part makes of its last iteration as the result, the best of all. A
/// spline's last control points are stored already.
void RegistrationRun::keepResult(std::uint64_t run, const RegistrationPlan& plan,
                                 const RegistrationResult& result) {
    const Geometry& grid = result.displacement.geometry;
    if (!plan.method)
        keep(run, keptAffine(*result.affine, nextPoint(run), grid, runs_.pool()));
    else if (!result.controlGrid)
        keep(run, keptField(result.displacement.view(), nextPoint(run), runs_.pool()));
}

void RegistrationRun::estimate(const RegistrationTask& task, std::uint64_t run,
                               const ExecContext& ctx) {
    const RegistrationPair opened = task.open(ctx);
    runs_.change(run, [&](RegistrationStatus&) { images_ = opened; });
    DevicePolicy device(preferred(usesDevice(task.plan) ? Backend::Cuda : Backend::Cpu), {},
                        devices_);
    const RegistrationImages images{opened.fixed.get(), opened.moving.get()};
    const auto start = std::chrono::steady_clock::now();
    const auto result =
        std::make_shared<const RegistrationResult>(device.run(ctx, [&](const ExecContext& where) {
            begins_ = true;
            RegistrationPlan plan = planOn(where.backend, task.plan);
            plan.observe = [&](const RegistrationState& state) {
                const RegistrationPoint point{state.iteration, nextPoint(run).number,
                                              smallestJacobian(state, where)};
                keep(run, kept(state, point, opened.fixed->geometry, runs_.pool()));
            };
            return registerImages(images, {}, plan, where);
        }));
    const double seconds = secondsSince(start);
    keepResult(run, task.plan, *result);
    // It is finished now: who stops the measures loses nothing else.
    runs_.change(run, [&](RegistrationStatus& status) {
        status.best = status.points.back().number;
        status.seconds = seconds;
        status.result = result;
        status.note = device.fallback();
    });
    const auto measures =
        std::make_shared<const RegistrationMeasures>(measuresOf(images, *result, ctx));
    runs_.change(run, [&](RegistrationStatus& status) { status.measures = measures; });
}

void RegistrationRun::start(RegistrationTask task) {
    RegistrationStatus status;
    status.name = task.name;
    runs_.start(std::move(task), std::move(status), [this] {
        store_.clear();
        images_ = {};
    });
}

RegistrationStatus RegistrationRun::status() const {
    return runs_.status([this](RegistrationStatus& status) {
        status.kept = store_.numbers();
        status.keptBytes = store_.bytes();
    });
}

RegistrationPair RegistrationRun::images() const {
    const auto lock = runs_.lock();
    return images_;
}

std::shared_ptr<const RegistrationIterate> RegistrationRun::iterate(int number) const {
    const auto lock = runs_.lock();
    return store_.find(number);
}

const Task& registrationTask() {
    static const Task task{
        "register", "The transform between two images", nullptr, {Backend::Cpu, Backend::Cuda}};
    return task;
}

} // namespace systole
