// Coverage: how often the error of a motion lies within the interval from its standard error.
#include "app/base/given_parameters.h"
#include "bench/benchmarks.h"
#include "bench/chosen_cases.h"
#include "bench/figure_table.h"
#include "bench/phantom_case.h"
#include "bench/programs.h"
#include "bench/studied_heart.h"
#include "compute/cardiac/measure_errors.h"
#include "compute/core/error.h"
#include "compute/core/motion_start.h"
#include "compute/motion/methods.h"
#include "compute/motion/motion_errors.h"
#include "io/phantom/family.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace systole {
namespace {

constexpr double ninetyPercent =
    1.6449; ///< half width of the interval of a normal error, standard errors
/// True for hearts on which the standard error was fitted.
constexpr bool isCalibrated(std::uint64_t seed) { return seed <= 10 || (seed > 20 && seed <= 30); }
constexpr std::size_t segmentCount = 16; ///< all but the cap: the phantom's tears on the axis
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Counts errors within their intervals.
struct Coverage {
    double count = 0, within = 0, squares = 0, expected = 0;
    std::vector<float> ratios; ///< |error| per standard error

    void add(double error, double standardError) {
        if (!std::isfinite(error) || !std::isfinite(standardError))
            return;
        ++count;
        within += std::abs(error) <= ninetyPercent * standardError ? 1 : 0;
        squares += error * error;
        expected += standardError * standardError;
        ratios.push_back(static_cast<float>(std::abs(error) / standardError));
    }
    double percent() const { return count > 0 ? 100 * within / count : unknown; }
    /// Factor by which the standard errors would have to be multiplied to cover 90 %.
    double factor() const {
        if (ratios.empty())
            return unknown;
        std::vector<float> sorted = ratios;
        const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(0.9 * count);
        std::nth_element(sorted.begin(), place, sorted.end());
        return static_cast<double>(*place) / ninetyPercent;
    }
    double found() const { return count > 0 ? std::sqrt(squares / count) : unknown; }
    double said() const { return count > 0 ? std::sqrt(expected / count) : unknown; }
};

struct LookCoverage {
    std::array<Coverage, 3> axes;
    Coverage all;
    std::array<Coverage, 3> strain; ///< strain of segments, percent of length, by direction

    FigureRow row(const std::string& name) const {
        return {name,
                {axes[0].percent(), axes[1].percent(), axes[2].percent(), all.percent(),
                 all.factor(), all.found(), all.said(), strain[0].percent(), strain[1].percent(),
                 strain[2].percent()}};
    }
};
const std::vector<std::string> columns{"x, %",  "y, %", "z, %",     "all, %",   "factor",
                                       "error", "said", "long., %", "circ., %", "radial, %"};

void addWall(const PhantomPair& pair, FieldView<const float> found, const VectorField& standard,
             LookCoverage& look) {
    const Vec3 spacing = pair.phantom.geometry().spacing();
    const double smallest = std::min({spacing.x, spacing.y, spacing.z});
    for (int k = 0; k < 3; ++k) {
        const double scale = spacing[k] / smallest;
        for (std::size_t i = 0; i < pair.measured.size(); ++i) {
            if (!pair.measured[i])
                continue;
            const auto value = [&](FieldView<const float> of) {
                return scale * static_cast<double>(of.component(k)[i]);
            };
            const double error = value(found) - value(pair.truth.view());
            look.axes[static_cast<std::size_t>(k)].add(error, value(standard.view()));
            look.all.add(error, value(standard.view()));
        }
    }
}

void addStrain(const PhantomPair& pair, const VectorField& found, const MotionErrors& errors,
               const ExecContext& ctx, LookCoverage& look) {
    const StudiedHeart heart(pair, ctx);
    const cardiac::MeasureOptions options;
    cardiac::VentricleMotion motion;
    motion.addReference(heart.ventricle(), 0);
    motion.add(heart.ventricle(), 1, unknown, toMillimeters(found, *ctx.pool));
    cardiac::DrawnErrors drawn;
    drawErrors(
        errors, pair.fixed, pair.moving, found, usualDraws,
        [&](const MillimeterField& draw) {
            drawn.emplace_back().addReference(heart.ventricle(), 0);
            drawn.back().add(heart.ventricle(), 1, unknown, draw);
        },
        ctx);
    const cardiac::VentricleFits fits(heart.ventricle(), options.order, ctx);
    const cardiac::Measures is = measuresOf(fits, motion, options, ctx),
                            exact = heart.measure(pair.truth, *options.definition);
    const cardiac::FrameErrors said = measureErrors(fits, motion, is, drawn, options, ctx)[1];
    for (int k = 0; k < 3; ++k)
        for (std::size_t s = 0; s < segmentCount; ++s)
            look.strain[static_cast<std::size_t>(k)].add(
                100 * (is.frames[1].segments[s].strain[k] - exact.frames[1].segments[s].strain[k]),
                100 * said.segments[s][k]);
}

void addHeart(const PhantomPair& pair, const MotionMethod& method, const ParamSet& parameters,
              const ExecContext& ctx, LookCoverage& look) {
    const MotionErrors errors{errorsOf(method, parameters), pair.scale};
    VectorField found = fieldAtRest(pair.fixed.geometry, *ctx.pool, "motion");
    method.make(parameters, ctx.backend)->estimate(pair.input(), found.view(), ctx);
    addWall(pair, found.view(),
            standardError(errors.draw, pair.input(), pair.fixed.geometry, found.view(), usualDraws,
                          ctx),
            look);
    addStrain(pair, found, errors, ctx, look);
}

} // namespace

void benchCertainty(const BenchOptions& options, const ExecContext& base, Json& record) {
    ExecContext ctx = base;
    ctx.backend = Backend::Cpu;
    const MotionMethod& method = motionMethod(options.method);
    const ParamSet parameters = givenParameters(*method.parameters, options.set);
    if (!errorsOf(method, parameters))
        throw ComputeError(estimatesNoErrors(method));
    fmt::print("certainty: {0} on the family of phantoms, {1}×{1}×{1}, seeds from {2} on; 1 to 10 "
               "and 21 to 30 are what the standard error was calibrated on. Voxels of the wall, by "
               "axis, whose error lies within the interval of 90 %; by what standard errors would "
               "have to be multiplied to cover 90 %; root mean square of the "
               "errors and of the standard errors, smallest spacings; the same share of the "
               "segments' strains\n",
               method.name, options.size, options.seed);
    for (const PhantomLookRow& look : chosenCases(phantomLooks(), options.cases)) {
        LookCoverage calibrated, heldOut;
        for (int n = 0; n < options.seeds; ++n) {
            ctx.throwIfCancelled();
            const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(n);
            const PhantomPair pair(
                {look.name, look.title, familyMember(look.name, options.size, seed)}, ctx);
            addHeart(pair, method, parameters, ctx, isCalibrated(seed) ? calibrated : heldOut);
        }
        const std::vector<FigureRow> rows{calibrated.row("calibrated on"), heldOut.row("held out")};
        for (const FigureRow& row : rows)
            for (std::size_t i = 0; i < row.figures.size(); ++i)
                record[look.name][row.name][columns[i]] = row.figures[i];
        printFigures(look.title, columns, rows, 2);
        std::fflush(stdout);
    }
}

} // namespace systole
