#include "app/features/bias/bias_run.h"

#include "app/features/bias/known_growth.h"
#include "compute/core/elapsed.h"
#include "compute/measures/otsu.h"
#include "compute/motion/methods.h"
#include "compute/ops/jacobian.h"
#include "compute/ops/smooth.h"
#include "compute/surface/isosurface.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace systole {
namespace {

std::shared_ptr<const Volume> logarithmMap(FieldView<const float> field, const Geometry& grid,
                                           const ExecContext& ctx) {
    auto map = std::make_shared<Volume>(grid, *ctx.pool, "log |J|");
    jacobianMap(field, map->view(), ctx);
    for (float& value : map->view().span())
        value = std::log(std::max(value, minDeterminant));
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

const ParamTable& biasTable() {
    static const ParamTable table({
        realParam("noise", 100 * usualNoiseShare, 0.5, 20, "percent",
                  "Standard deviation of the added noise, in percent of the sequence's gray "
                  "range. The frame's own noise comes on top."),
        integerParam("repetitions", 8, 2, 32, "",
                     "Number of registrations, each with fresh noise."),
        switchParam("demons", false, "Also the method demons.").titled("also demons"),
        integerParam("seed", 1, 0, 1000000, "",
                     "Seed of the first repetition's noise; the following ones use the next "
                     "numbers.")
            .usually(0, 1000),
    });
    return table;
}

void BiasTask::set(const ParamSet& parameters) {
    noiseShare = parameters.real("noise") / 100;
    repetitions = parameters.integer("repetitions");
    seed = static_cast<std::uint64_t>(parameters.integer("seed"));
    methods = usualBiasMethods();
    if (parameters.isOn("demons"))
        methods.push_back("demons");
}

TriangleMesh tissueOf(const Volume& image, const ExecContext& ctx) {
    Volume below(image.geometry, *ctx.pool, "tissue");
    smoothGaussian(image.view(), below.view(), {1, 1, 1}, ctx);
    const float threshold = otsuThreshold(below.view().span());
    for (float& value : below.view().span())
        value = threshold - value;
    return isosurface(below.view(), image.geometry, SurfaceEdge::Open, ctx);
}

BiasStatus statusOf(const BiasTask& task) {
    BiasStatus status;
    status.name = task.name;
    status.backend = task.backend;
    status.noiseShare = task.noiseShare;
    status.repetitions = task.repetitions;
    for (const std::string& method : task.methods)
        status.columns.emplace_back().method = method;
    return status;
}

namespace {

/// The registrations of a task, made for the backend on which they run.
class Registrations {
public:
    explicit Registrations(const BiasTask& task) : task_(task) {}

    /// Adds one repetition to the column.
    void repeat(std::size_t number, const NoisyCopies& copies, BiasColumn& column,
                DevicePolicy& device, const ExecContext& ctx) {
        const auto start = std::chrono::steady_clock::now();
        column.series.add(device.run(ctx, [&](const ExecContext& where) {
            return of(number, where).run(copies, task_.scale, {}, where);
        }));
        column.seconds = secondsSince(start);
        column.last = logarithmMap(made_[number]->field(), task_.image->geometry, ctx);
        column.mean = withMap(column.mean, column.last, column.series.count(), ctx);
    }

    /// Registers a true growth, under the noise of the first repetition.
    void findGrowth(std::size_t number, const NoisyCopies& grown, const KnownGrowth& growth,
                    BiasColumn& column, DevicePolicy& device, const ExecContext& ctx) {
        column.growth = device
                            .run(ctx,
                                 [&](const ExecContext& where) {
                                     return of(number, where)
                                         .run(grown, task_.scale, growth.region.view(), where);
                                 })
                            .region;
    }

private:
    NullRegistration& of(std::size_t number, const ExecContext& ctx) {
        if (made_.empty() || backend_ != ctx.backend) {
            made_.clear();
            backend_ = ctx.backend;
            for (const std::string& method : task_.methods)
                made_.push_back(std::make_unique<NullRegistration>(
                    motionMethod(method), backend_, task_.image->geometry, *ctx.pool));
        }
        return *made_[number];
    }

    const BiasTask& task_;
    Backend backend_ = Backend::Cpu;
    std::vector<std::unique_ptr<NullRegistration>> made_;
};

} // namespace

void repeatBias(const BiasTask& task, DevicePolicy& device, const ExecContext& ctx,
                const std::function<void(const BiasStatus&)>& changed) {
    const double deviation = noiseDeviation(task.noiseShare, task.scale);
    Registrations registrations(task);
    BiasStatus status = statusOf(task);
    const auto all =
        (static_cast<double>(task.repetitions) + 1) * static_cast<double>(task.methods.size());
    double done = 0;
    const auto step = [&](std::size_t column, const std::string& phase, const auto& work) {
        status.phase = phase + ", " + task.methods[column];
        status.fraction = done / all;
        changed(status);
        work(status.columns[column]);
        status.backend = device.choice().backend;
        status.note = device.fallback();
        status.fraction = ++done / all;
        changed(status);
    };
    for (int n = 0; n < task.repetitions; ++n) {
        ctx.throwIfCancelled();
        const NoisyCopies copies(*task.image, deviation, task.seed + static_cast<std::uint64_t>(n),
                                 ctx);
        for (std::size_t i = 0; i < task.methods.size(); ++i)
            step(i, fmt::format("repetition {} of {}", n + 1, task.repetitions),
                 [&](BiasColumn& column) { registrations.repeat(i, copies, column, device, ctx); });
    }
    ctx.throwIfCancelled();
    const KnownGrowth growth(*task.image, ctx);
    const NoisyCopies grown(growth.smaller, *task.image, deviation, task.seed, ctx);
    status.trueGrowth = growth.logarithm;
    for (std::size_t i = 0; i < task.methods.size(); ++i)
        step(i, "a true growth", [&](BiasColumn& column) {
            registrations.findGrowth(i, grown, growth, column, device, ctx);
        });
    status.phase.clear();
    changed(status);
}

BiasRun::BiasRun(Options options)
    : run_(options.threads, std::move(options.notify),
           [this, devices = std::move(options.devices)](const BiasTask& task, std::uint64_t run,
                                                        const ExecContext& ctx) {
               run_.change(run, [](BiasStatus& status) { status.phase = "outline"; });
               try {
                   auto tissue = std::make_shared<const TriangleMesh>(tissueOf(*task.image, ctx));
                   run_.change(run, [&](BiasStatus& status) { status.tissue = std::move(tissue); });
               } catch (const OutOfMemory&) {
                   // The maps are worth more than their outline.
               }
               DevicePolicy device(preferred(task.backend), {}, devices);
               repeatBias(task, device, ctx, [&](const BiasStatus& now) {
                   run_.change(run, [&](BiasStatus& status) {
                       status.note = now.note;
                       status.backend = now.backend;
                       status.trueGrowth = now.trueGrowth;
                       status.phase = now.phase;
                       status.fraction = now.fraction;
                       status.columns = now.columns;
                   });
               });
           }) {}

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
        if (status.trueGrowth > 0 && std::isfinite(column.growth))
            text += fmt::format(", and {:.0f} % of a true growth",
                                100 * column.growth / status.trueGrowth);
    }
    if (text.empty())
        return "Nothing was registered yet.";
    return fmt::format("{} of {} repetitions of noise alone. {}.",
                       status.columns.empty() ? 0 : status.columns.back().series.count(),
                       status.repetitions, text);
}

const Task& biasTask() {
    static const Task task{"bias", "Volume change that methods find in noise alone", &biasTable(),
                           motionMethod(usualBiasMethods().front()).backends};
    return task;
}

} // namespace systole
