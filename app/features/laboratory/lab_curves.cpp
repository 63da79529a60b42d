#include "app/features/laboratory/lab_curves.h"

#include "app/features/laboratory/summary.h"
#include "app/kit/parameter_widget.h"
#include "app/kit/plot.h"
#include "app/kit/roofline.h"
#include "compute/core/enum_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace systole {
namespace {

using lab::LabAnswer;
using lab::LabAxis;
using lab::LabCurve;
using lab::LabRow;

constexpr std::size_t fewKernels = 2, severalKernels = 6; // up to which model curves stay legible
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr ImU32 bestColor = IM_COL32(255, 255, 255, 255),
                pointerColor = IM_COL32(255, 255, 255, 70);
constexpr std::array<Stroke, 3> modelStrokes{Stroke::Dashed, Stroke::Dotted, Stroke::DashDotted};
constexpr float tooltipWidth = 420, aloneWidth = 1;

/// One kernel: a color for the measurement and one per model. Several: one color per kernel.
struct Palette {
    bool single;
    ImU32 measured(std::size_t curve) const { return plotColor(single ? 0 : curve); }
    ImU32 model(std::size_t curve, std::size_t model) const {
        constexpr std::array<std::size_t, 3> colors{1, 5, 2};
        return plotColor(single ? colors[model] : curve);
    }
};

Mark markOf(model::LimitingResource limit) {
    switch (limit) {
    case model::LimitingResource::Warps:
        return Mark::Dot;
    case model::LimitingResource::Registers:
        return Mark::Square;
    case model::LimitingResource::SharedMemory:
        return Mark::Triangle;
    case model::LimitingResource::Blocks:
        return Mark::Diamond;
    }
    return Mark::None;
}

double across(const LabAnswer& answer, const LabRow& row) {
    return answer.question.axis == LabAxis::Padding ? row.x / 1024 : row.x;
}

PlotAxis acrossAxis(const LabAnswer& answer) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const LabCurve& curve : answer.curves)
        for (const LabRow& row : curve.rows) {
            low = std::min(low, across(answer, row));
            high = std::max(high, across(answer, row));
        }
    // Keeps the curves' ends off the frame.
    const double margin = 0.02 * (high - low);
    return {low - margin, high + margin, PlotAxis::Steps::Binary};
}

const char* acrossLabel(LabAxis axis) {
    return enumText(axis,
                    {"threads per block", "side, voxels", "padding shared memory per block, KB"});
}

/// Divisor: over sides the time per voxel is shown, since the total grows with the cube.
double perVoxel(const LabAnswer& answer, const LabRow& row) {
    return answer.question.axis == LabAxis::Side ? std::pow(row.point.side, 3) : 1;
}

struct TimeUnit {
    double seconds;
    const char* name;
};

TimeUnit unitFor(double largest) {
    constexpr std::array<TimeUnit, 4> units{{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};
    for (const TimeUnit& unit : units)
        if (largest >= unit.seconds)
            return unit;
    return {1e-12, "ps"};
}

struct Extent {
    double min = std::numeric_limits<double>::infinity(), max = 0;
    void add(double value) {
        if (value > 0) {
            min = std::min(min, value);
            max = std::max(max, value);
        }
    }
};

Extent timesOf(const LabAnswer& answer, const std::array<bool, 3>& models) {
    Extent times;
    for (const LabCurve& curve : answer.curves)
        for (const LabRow& row : curve.rows) {
            times.add(row.measured / perVoxel(answer, row));
            if (answer.question.withTransfers)
                times.add(row.point.seconds / perVoxel(answer, row));
            for (std::size_t m = 0; m < models.size(); ++m)
                if (models[m])
                    times.add(row.predicted[m] / perVoxel(answer, row));
        }
    return times;
}

template <typename Value>
std::vector<PlotPoint> pointsOf(const LabAnswer& answer, const LabCurve& curve, double unit,
                                const Value& valueOf) {
    std::vector<PlotPoint> points;
    for (const LabRow& row : curve.rows) {
        const double value = valueOf(row) / perVoxel(answer, row);
        points.push_back({across(answer, row), value > 0 ? value / unit : nothing});
    }
    return points;
}

/// Joins measured points across unmeasured ones.
std::vector<PlotPoint> withoutGaps(std::vector<PlotPoint> points) {
    std::erase_if(points, [](const PlotPoint& point) { return !std::isfinite(point.y); });
    return points;
}

bool anyPredicted(const LabAnswer& answer, std::size_t model) {
    return std::ranges::any_of(answer.curves, [&](const LabCurve& curve) {
        return std::ranges::any_of(curve.rows,
                                   [&](const LabRow& row) { return row.predicted[model] > 0; });
    });
}

/// True for kernels of several tasks over block sizes: they are compared with their models, not
/// with each other.
bool eachByItself(const LabAnswer& answer) {
    const auto task = [](const LabCurve& curve) {
        return curve.kernel.substr(0, curve.kernel.find('/'));
    };
    return answer.question.axis == LabAxis::BlockSize &&
           std::ranges::any_of(answer.curves, [&](const LabCurve& curve) {
               return task(curve) != task(answer.curves.front());
           });
}

bool allMeasured(const LabAnswer& answer) {
    return std::ranges::all_of(answer.curves, [](const LabCurve& curve) {
        return std::ranges::all_of(curve.rows, [](const LabRow& row) { return row.measured > 0; });
    });
}

std::vector<LegendEntry> timeLegend(const LabAnswer& answer, const std::array<bool, 3>& models,
                                    const Palette& palette) {
    std::vector<LegendEntry> legend;
    const bool measured = anyMeasured(answer);
    if (palette.single) {
        if (measured)
            legend.push_back({"measured", {palette.measured(0), Stroke::Solid, Mark::Dot}});
    } else {
        for (std::size_t c = 0; c < answer.curves.size(); ++c)
            legend.push_back(
                {answer.curves[c].kernel,
                 {palette.measured(c), Stroke::Solid, measured ? Mark::Dot : Mark::None}});
    }
    if (answer.question.withTransfers)
        legend.push_back({"kernel only",
                          {palette.single ? palette.measured(0) : plotColor(6), Stroke::Solid,
                           Mark::None, aloneWidth}});
    for (std::size_t m = 0; m < models.size(); ++m)
        if (models[m] && anyPredicted(answer, m))
            legend.push_back(
                {shortModelName(m),
                 {palette.single ? palette.model(0, m) : plotColor(6), modelStrokes[m]}});
    if (answer.question.axis == LabAxis::BlockSize) {
        if (measured)
            legend.push_back({"fastest measured", {bestColor, Stroke::Solid, Mark::Ring, 0}});
        if (models[0] || models[1] || models[2])
            legend.push_back({"fastest predicted", {bestColor, Stroke::Solid, Mark::Diamond, 0}});
    }
    return legend;
}

void tooltip(const LabAnswer& answer, const LabCurve& curve, const LabRow& row) {
    std::string text;
    for (const std::string& line : figuresOf(answer, curve, row))
        text += (text.empty() ? "" : "\n") + line;
    wrappedTooltip(text, tooltipWidth);
}

/// The row under the pointer, and its figures.
void hover(Plot& plot, const LabAnswer& answer, const std::vector<std::vector<PlotPoint>>& curves) {
    std::vector<PlotPoint> all;
    for (const auto& points : curves)
        all.insert(all.end(), points.begin(), points.end());
    std::optional<std::size_t> at = plot.nearest(all, false);
    if (!at)
        at = plot.nearest(all, true);
    if (!at)
        return;
    plot.verticalLine(all[*at].x, pointerColor);
    for (std::size_t c = 0; c < curves.size(); ++c) {
        if (*at < curves[c].size())
            return tooltip(answer, answer.curves[c], answer.curves[c].rows[*at]);
        *at -= curves[c].size();
    }
}

std::vector<LegendEntry> occupancyLegend(const LabAnswer& answer, const Palette& palette) {
    const ImU32 color = palette.single ? palette.measured(0) : plotColor(6);
    std::vector<LegendEntry> legend{{"occupancy", {color, Stroke::Solid}},
                                    {"wave efficiency", {color, Stroke::Dashed}}};
    std::vector<model::LimitingResource> seen;
    for (const LabCurve& curve : answer.curves)
        for (const LabRow& row : curve.rows)
            if (std::ranges::find(seen, row.occupancy.limit) == seen.end())
                seen.push_back(row.occupancy.limit);
    for (const model::LimitingResource limit : seen)
        legend.push_back({std::string(legend.size() == 2 ? "limited by " : "") + name(limit),
                          {color, Stroke::Solid, markOf(limit), 0}});
    return legend;
}

RooflinePoint rooflinePoint(const LabAnswer& answer, const LabRow& row, const std::string& label,
                            ImU32 color) {
    // A question with copies shows the kernel's time only: the roofline doesn't include the bus.
    const bool alone = answer.question.withTransfers;
    const double measured = alone ? row.point.seconds : row.measured;
    const double seconds =
        measured > 0 ? measured : (alone ? row.predictedAlone : row.predicted)[2];
    return {row.intensity, seconds > 0 ? row.point.flops() / seconds : 0, label, color,
            measured > 0};
}

/// The labeled row of a curve: least time, largest volume, or no padding.
int namedRow(LabAxis axis, const LabCurve& curve) {
    switch (axis) {
    case LabAxis::BlockSize:
        return curve.bestMeasured >= 0 ? curve.bestMeasured : curve.bestPredicted[2];
    case LabAxis::Side:
        return static_cast<int>(curve.rows.size()) - 1;
    case LabAxis::Padding:
        break;
    }
    return 0;
}

} // namespace

bool anyMeasured(const LabAnswer& answer) {
    return std::ranges::any_of(answer.curves,
                               [](const LabCurve& curve) { return curve.bestMeasured >= 0; });
}

std::array<bool, 3> shownModels(const LabAnswer& answer, const LabPlotOptions& options) {
    if (options.models)
        return *options.models;
    const std::size_t kernels = answer.curves.size();
    const bool all = kernels <= fewKernels || (kernels <= severalKernels && eachByItself(answer));
    return {all, all, all || !allMeasured(answer)};
}

bool logarithmicTime(const LabAnswer& answer, const LabPlotOptions& options) {
    if (options.logTime)
        return *options.logTime;
    const Extent times = timesOf(answer, shownModels(answer, options));
    return times.max > 8 * times.min;
}

void drawTimes(const LabAnswer& answer, const LabPlotOptions& options, ImVec2 corner, ImVec2 size) {
    const Palette palette{answer.curves.size() == 1};
    const std::array<bool, 3> models = shownModels(answer, options);
    const Extent times = timesOf(answer, models);
    const TimeUnit unit = unitFor(times.max);
    const bool decades = logarithmicTime(answer, options);
    const double lowest = times.max > 0 ? times.min : 1;
    const PlotAxis up =
        decades
            ? PlotAxis(lowest / unit.seconds, times.max / unit.seconds, PlotAxis::Steps::Decades)
                  .rounded(6)
            : PlotAxis(0, 1.08 * times.max / unit.seconds, PlotAxis::Steps::Decimal);
    const bool side = answer.question.axis == LabAxis::Side;
    const bool choosing = answer.question.axis == LabAxis::BlockSize;
    Plot plot(corner, size, acrossAxis(answer), up,
              {fmt::format("{}, {}", side ? "time / side³" : "time per run", unit.name),
               acrossLabel(answer.question.axis)},
              timeLegend(answer, models, palette));
    std::vector<std::vector<PlotPoint>> pointed;
    for (std::size_t c = 0; c < answer.curves.size(); ++c) {
        const LabCurve& curve = answer.curves[c];
        const auto measured =
            pointsOf(answer, curve, unit.seconds, [](const LabRow& row) { return row.measured; });
        pointed.push_back(measured);
        for (std::size_t m = 0; m < models.size(); ++m) {
            if (!models[m])
                continue;
            const auto predicted = pointsOf(answer, curve, unit.seconds,
                                            [m](const LabRow& row) { return row.predicted[m]; });
            const ImU32 color = palette.model(c, m);
            plot.curve(predicted,
                       {color, modelStrokes[m], Mark::None, palette.single ? 1.8f : 1.3f});
            if (curve.bestPredicted[m] >= 0 && choosing)
                plot.mark(predicted[static_cast<std::size_t>(curve.bestPredicted[m])],
                          Mark::Diamond, color, 5);
            for (std::size_t i = 0; i < predicted.size(); ++i)
                if (!std::isfinite(pointed.back()[i].y))
                    pointed.back()[i] = predicted[i];
        }
        if (answer.question.withTransfers)
            plot.curve(withoutGaps(pointsOf(answer, curve, unit.seconds,
                                            [](const LabRow& row) { return row.point.seconds; })),
                       {palette.measured(c), Stroke::Solid, Mark::None, aloneWidth});
        plot.curve(withoutGaps(measured), {palette.measured(c), Stroke::Solid, Mark::Dot, 2});
        if (curve.bestMeasured >= 0 && choosing)
            plot.mark(measured[static_cast<std::size_t>(curve.bestMeasured)], Mark::Ring, bestColor,
                      7);
    }
    hover(plot, answer, pointed);
}

void drawOccupancy(const LabAnswer& answer, ImVec2 corner, ImVec2 size) {
    const Palette palette{answer.curves.size() == 1};
    Plot plot(corner, size, acrossAxis(answer), PlotAxis(0, 105, PlotAxis::Steps::Decimal),
              {"occupancy, % of maximum warps", acrossLabel(answer.question.axis)},
              occupancyLegend(answer, palette));
    std::vector<std::vector<PlotPoint>> pointed;
    for (std::size_t c = 0; c < answer.curves.size(); ++c) {
        const LabCurve& curve = answer.curves[c];
        std::vector<PlotPoint> occupancy, efficiency;
        for (const LabRow& row : curve.rows) {
            const double x = across(answer, row);
            occupancy.push_back({x, 100 * row.occupancy.fraction});
            efficiency.push_back({x, row.waves.whole > 0 ? 100 * row.waves.efficiency : nothing});
        }
        const ImU32 color = palette.measured(c);
        plot.curve(efficiency, {faded(color, 0.75f), Stroke::Dashed, Mark::None, 1.4f});
        plot.curve(occupancy, {color, Stroke::Solid});
        for (std::size_t i = 0; i < occupancy.size(); ++i)
            plot.mark(occupancy[i], markOf(curve.rows[i].occupancy.limit), color, 3.2f);
        pointed.push_back(occupancy);
    }
    hover(plot, answer, pointed);
}

void drawLabRoofline(const LabAnswer& answer, ImVec2 corner, ImVec2 size) {
    const Palette palette{answer.curves.size() == 1};
    std::vector<RooflinePoint> points;
    for (std::size_t c = 0; c < answer.curves.size(); ++c) {
        const LabCurve& curve = answer.curves[c];
        const int named = namedRow(answer.question.axis, curve);
        for (std::size_t i = 0; i < curve.rows.size(); ++i)
            points.push_back(rooflinePoint(answer, curve.rows[i],
                                           static_cast<int>(i) == named ? curve.kernel : "",
                                           palette.measured(c)));
    }
    const std::optional<std::size_t> at =
        drawRoofline(answer.machine, points, corner, size,
                     answer.question.withTransfers ? "roofline, kernels only" : "roofline");
    std::size_t first = 0;
    for (const LabCurve& curve : answer.curves) {
        if (at && *at >= first && *at < first + curve.rows.size())
            tooltip(answer, curve, curve.rows[*at - first]);
        first += curve.rows.size();
    }
}

} // namespace systole
