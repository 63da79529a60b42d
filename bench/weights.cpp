// Loss of accuracy of a free-form deformation by the 8-bit weights of a texture unit: one
// registration with exact fields, with those of roundedBsplineField(), and with exact ones whose
// sums are taken in another order, which shows the effect of the last bits: a line search decides
// by them.
#include "bench/benchmarks.h"
#include "bench/phantom_case.h"
#include "compute/methods/ffd/ffd.h"
#include "compute/ops/bspline_rounded.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// A registration's result, its control points still in the estimator.
struct Registered {
    Registered(const PhantomPair& pair, FieldOfPoints fieldOf, const ExecContext& ctx)
        : estimator(makeFfdCpu(FfdParameters::from(ParamSet(*ffdMethod().parameters, "default")),
                               fieldOf))
        , field(pair.phantom.geometry(), *ctx.pool, "benchmark field") {
        setToRest(field);
        report = estimator->estimate(pair.input(), field.view(), ctx);
    }

    double evaluations() const {
        double sum = 0;
        for (const MotionReport::Level& level : report.levels)
            if (const Figure* figure = findFigure(level.figures, "evaluations"))
                sum += figure->value;
        return sum;
    }

    std::unique_ptr<FfdEstimator> estimator;
    VectorField field;
    MotionReport report;
};

struct Distance {
    double mean = 0, largest = 0; ///< voxels
};

Distance distanceOf(FieldView<const float> a, FieldView<const float> b) {
    Distance distance;
    const std::size_t n = a.size.voxels();
    for (std::size_t i = 0; i < n; ++i) {
        double squares = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const double d = static_cast<double>(a.component(axis)[i]) -
                             static_cast<double>(b.component(axis)[i]);
            squares += d * d;
        }
        distance.mean += std::sqrt(squares) / static_cast<double>(n);
        distance.largest = std::max(distance.largest, std::sqrt(squares));
    }
    return distance;
}

void otherOrderField(ControlPointsView<const float> points, FieldView<float> field,
                     const ExecContext& ctx) {
    bsplineField(BsplineCpuVariant::Plain, points, field, ctx);
}

Json recordOf(const Distance& d) { return {{"mean", d.mean}, {"largest", d.largest}}; }

void measureCase(const PhantomCase& which, const ExecContext& ctx, Json& record) {
    const PhantomPair pair(which, ctx);
    const Registered exact(pair, bsplineField, ctx);
    // The field alone: the same control points, read with 8-bit weights.
    VectorField other(pair.phantom.geometry(), *ctx.pool, "benchmark field");
    roundedBsplineField(exact.estimator->controlPoints(), other.view(), ctx);
    const Distance alone = distanceOf(other.view(), exact.field.view());
    Json& entry = record[which.name];
    entry["field_alone"] = recordOf(alone);
    fmt::print("  {:<8} {:>7.4f} {:>9.5f} {:>8.5f}", which.name,
               wallError(pair, pair.truth.view()).motion, alone.mean, alone.largest);
    const auto line = [&](const char* name, const Registered& run) {
        const double error = wallError(pair, run.field.view()).mean;
        const Distance away = distanceOf(run.field.view(), exact.field.view());
        fmt::print("   {:>7.4f} {:>4.0f}", error, run.evaluations());
        if (&run != &exact)
            fmt::print(" {:>7.4f} {:>7.4f}", away.mean, away.largest);
        entry[name] = {{"error", error},
                       {"evaluations", run.evaluations()},
                       {"energy", run.report.energy},
                       {"from_exact", recordOf(away)}};
    };
    line("exact", exact);
    line("other_order", Registered(pair, otherOrderField, ctx));
    line("eight_bits", Registered(pair, roundedBsplineField, ctx));
    fmt::print("\n");
}

} // namespace

void benchWeights(const BenchOptions& options, const ExecContext& base, Json& record) {
    ExecContext ctx = base;
    ctx.backend = Backend::Cpu;
    fmt::print(
        "weights: ffd, preset default, CPU, {0}×{0}×{0}, seed {1}, all in voxels. Field: the "
        "exact run's control points read with the 8-bit weights of a texture unit, modelled, "
        "mean and largest difference. Runs with exact fields, with exact ones summed in "
        "another order, and with 8-bit weights: mean endpoint error in the wall, "
        "evaluations, mean and largest difference from the exact run\n",
        options.size, options.seed);
    fmt::print("  {:<8} {:>7} {:>18}   {:>12}   {:>28}   {:>28}\n", "case", "motion", "field",
               "exact", "other order", "8-bit weights");
    for (const PhantomCase& which : phantomCasesOf(options, {"echo", "hard", "small", "ct"})) {
        ctx.throwIfCancelled();
        measureCase(which, ctx, record);
        std::fflush(stdout);
    }
}

} // namespace systole
