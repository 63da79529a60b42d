#include "app/features/cardiac/strain_charts.h"

#include "app/base/plot_axis.h"
#include "app/features/cardiac/bulls_eye.h"
#include "app/features/cardiac/strain_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace systole {
namespace {

constexpr const char *ink = "#222222", *faint = "#dddddd", *soft = "#666666", *accent = "#1f5fbf";
constexpr double radius = 130, bullsEyeWidth = 320, bullsEyeHeight = 350; ///< pixels
constexpr DrawingPoint center{bullsEyeWidth / 2, 172};
constexpr double chartWidth = 420, chartHeight = 260; ///< pixels
/// Margins around a chart's area, pixels.
constexpr double left = 52, right = 10, top = 32, bottom = 36;
constexpr int ticksAcross = 6, ticksUp = 5;

std::string hex(Color color) {
    const auto digits = [](float part) { return static_cast<int>(std::lround(255 * part)); };
    return fmt::format("#{:02x}{:02x}{:02x}", digits(color.red), digits(color.green),
                       digits(color.blue));
}

/// The place around the axis as hue, the level as lightness: basal dark, apical light.
std::string segmentColor(const BullsEyeSector& sector) {
    const double turn = (sector.fromDegrees + sector.span / 2) / 60;
    const double value = 1 - 0.45 * sector.inner;
    const auto part = [&](double shift) {
        const double k = std::fmod(turn + shift + 12, 6.0);
        const double pure = std::clamp(std::min(k, 4 - k), 0.0, 1.0);
        return static_cast<float>(value * (1 - 0.9 * pure));
    };
    return hex({part(5), part(3), part(1)});
}

std::vector<DrawingPoint> outlineOf(const BullsEyeSector& sector, DrawingPoint center,
                                    double size) {
    std::vector<DrawingPoint> points;
    for (const BullsEyePoint& p : sector.outline())
        points.push_back({center.x + size * p.x, center.y - size * p.y});
    return points;
}

constexpr double numberSize = 13; ///< pixels, of a segment's number
/// Half its width and half its height, in the disc's radius; digits of the page's font are about
/// 0.64 of its size wide.
BullsEyePoint sizeOfNumber(const std::string& number) {
    return {(0.32 * numberSize * static_cast<double>(number.size()) + 2) / radius,
            0.6 * numberSize / radius};
}

class Chart {
public:
    Chart(std::string title, PlotAxis x, PlotAxis y, const std::string& xLabel)
        : x_(std::move(x)), y_(y.rounded(ticksUp)) {
        drawing_.width = chartWidth;
        drawing_.height = chartHeight;
        drawing_.texts.push_back({{0, 14}, title, ink, WordsAnchor::Start, 13});
        drawing_.title = std::move(title);
        for (const PlotTick& tick : y_.ticks(ticksUp)) {
            const DrawingPoint p = at(x_.low(), tick.value);
            drawing_.lines.push_back(
                {{p, at(x_.high(), tick.value)}, tick.value == 0 ? soft : faint});
            drawing_.texts.push_back({{p.x - 6, p.y + 4}, tick.label, soft, WordsAnchor::End, 11});
        }
        for (const PlotTick& tick : x_.ticks(ticksAcross)) {
            const DrawingPoint p = at(tick.value, y_.low());
            drawing_.lines.push_back({{p, {p.x, p.y + 4}}, soft});
            drawing_.texts.push_back({{p.x, p.y + 16}, tick.label, soft, WordsAnchor::Middle, 11});
        }
        drawing_.texts.push_back(
            {{chartWidth - right, chartHeight - 4}, xLabel, soft, WordsAnchor::End, 11});
    }

    DrawingPoint at(double x, double y) const {
        return {left + (chartWidth - left - right) * x_.position(x),
                chartHeight - bottom - (chartHeight - top - bottom) * y_.position(y)};
    }
    /// Interrupted where a value isn't known.
    void curve(const std::vector<double>& x, const std::vector<double>& y, DrawnLine look) {
        for (std::size_t i = 0; i <= x.size(); ++i) {
            if (i < x.size() && std::isfinite(y[i])) {
                look.points.push_back(at(x[i], y[i]));
            } else {
                if (look.points.size() > 1)
                    drawing_.lines.push_back(look);
                look.points.clear();
            }
        }
    }
    void mark(double x, const std::string& text) {
        const DrawingPoint low = at(x, y_.low()), high = at(x, y_.high());
        drawing_.lines.push_back({{low, high}, soft, 1, true, text});
        drawing_.texts.push_back({{high.x, high.y - 1}, text, soft, WordsAnchor::Middle, 11});
    }
    void bar(double from, double to, double value, const std::string& name) {
        drawing_.areas.push_back(
            {{at(from, 0), at(from, value), at(to, value), at(to, 0)}, accent, "#ffffff", name});
    }
    Drawing drawn() && { return std::move(drawing_); }

private:
    Drawing drawing_;
    PlotAxis x_, y_;
};

struct Curve {
    std::vector<double> values;
    DrawnLine look;
};

Drawing chartOf(const StrainOutcome& outcome, const std::string& title,
                const std::vector<Curve>& curves) {
    const TimeAxis time(outcome);
    double low = 0, high = 0;
    for (const Curve& curve : curves)
        for (const double value : curve.values)
            if (std::isfinite(value)) {
                low = std::min(low, value);
                high = std::max(high, value);
            }
    Chart chart(title, {time.values.front(), time.values.back(), time.steps()},
                {low, high, PlotAxis::Steps::Decimal},
                time.known ? "ms since end diastole" : "frame");
    for (const Curve& curve : curves)
        chart.curve(time.values, curve.values, curve.look);
    chart.mark(time.values[static_cast<std::size_t>(outcome.summary.endSystole)], "ES");
    return std::move(chart).drawn();
}

Curve curveOf(const StrainOutcome& outcome,
              const std::function<double(const cardiac::FrameMeasures&)>& value, DrawnLine look) {
    Curve curve{{}, std::move(look)};
    for (const cardiac::FrameMeasures& frame : outcome.measures.frames)
        curve.values.push_back(value(frame));
    return curve;
}

void addColorScale(Drawing& drawing, const BullsEyeQuantity& quantity, BullsEyeRange range) {
    constexpr int steps = 32;
    constexpr double width = 160, height = 10;
    const double x0 = (bullsEyeWidth - width) / 2, y0 = bullsEyeHeight - 24;
    for (int i = 0; i < steps; ++i) {
        const double value = range.low + (range.high - range.low) * (i + 0.5) / steps;
        const std::string color = hex(colorOf(quantity, colorPlace(quantity, range, value)));
        const double from = x0 + width * i / steps, to = x0 + width * (i + 1) / steps;
        drawing.areas.push_back(
            {{{from, y0}, {to, y0}, {to, y0 + height}, {from, y0 + height}}, color, color});
    }
    const BullsEyeEnds ends = endsOf(quantity, range);
    drawing.texts.push_back({{x0, y0 + height + 11}, ends.low, soft, WordsAnchor::Start, 11});
    drawing.texts.push_back(
        {{x0 + width, y0 + height + 11}, ends.high, soft, WordsAnchor::End, 11});
}

} // namespace

Drawing bullsEyeDrawing(const StrainOutcome& outcome, cardiac::AhaModel model,
                        const BullsEyeQuantity& quantity, std::size_t frame) {
    std::vector<double> values;
    std::vector<bool> hatched;
    for (const BullsEyeSector& sector : bullsEyeSectors(model)) {
        values.push_back(
            quantity.value(outcome, frame, static_cast<std::size_t>(sector.segment - 1)));
        hatched.push_back(isHatched(quantity, outcome, frame, sector));
    }
    return bullsEyeDrawing(values, hatched, model, quantity, rangeOf(quantity, outcome));
}

Drawing bullsEyeDrawing(std::span<const double> values, const std::vector<bool>& hatched,
                        cardiac::AhaModel model, const BullsEyeQuantity& quantity,
                        BullsEyeRange range) {
    const auto at = [](BullsEyePoint p) {
        return DrawingPoint{center.x + radius * p.x, center.y - radius * p.y};
    };
    Drawing drawing{bullsEyeWidth, bullsEyeHeight, quantity.title, {}, {}, {}};
    for (const BullsEyeSector& sector : bullsEyeSectors(model)) {
        const auto s = static_cast<std::size_t>(sector.segment - 1);
        const double value = values[s];
        const double place = colorPlace(quantity, range, value);
        const Color color = std::isnan(place) ? Color{1, 1, 1} : colorOf(quantity, place);
        drawing.areas.push_back(
            {outlineOf(sector, center, radius), hex(color), ink,
             fmt::format("{} {}: {} {}", sector.segment, cardiac::ahaNames(model)[s],
                         figureText(value, quantity.decimals), quantity.unit)});
        const BullsEyePoint middle = sector.middle();
        drawing.texts.push_back({{center.x + radius * middle.x, center.y - radius * middle.y + 4},
                                 figureText(value, quantity.decimals),
                                 isDark(color) ? "#ffffff" : ink,
                                 WordsAnchor::Middle,
                                 numberSize});
        if (!hatched.empty() && hatched[s])
            for (const auto& [from, to] :
                 sector.hatching(sizeOfNumber(figureText(value, quantity.decimals))))
                drawing.lines.push_back({{at(from), at(to)}, ink, 0.8});
    }
    drawing.texts.push_back({{center.x, 14},
                             fmt::format("{}, {}", quantity.title, quantity.unit),
                             ink,
                             WordsAnchor::Middle,
                             13});
    drawing.texts.push_back(
        {{center.x, center.y - radius - 6}, "anterior", soft, WordsAnchor::Middle, 11});
    drawing.texts.push_back(
        {{center.x, center.y + radius + 14}, "inferior", soft, WordsAnchor::Middle, 11});
    drawing.texts.push_back({{0, center.y - radius + 8}, "septal", soft, WordsAnchor::Start, 11});
    drawing.texts.push_back(
        {{bullsEyeWidth, center.y - radius + 8}, "lateral", soft, WordsAnchor::End, 11});
    addColorScale(drawing, quantity, range);
    return drawing;
}

Drawing strainCurves(const StrainOutcome& outcome, cardiac::AhaModel model, int direction) {
    std::vector<Curve> curves;
    for (const BullsEyeSector& sector : bullsEyeSectors(model)) {
        const auto s = static_cast<std::size_t>(sector.segment - 1);
        curves.push_back(
            curveOf(outcome,
                    [&](const cardiac::FrameMeasures& frame) {
                        return 100 * frame.segments[s].strain[direction];
                    },
                    {{},
                     segmentColor(sector),
                     1.2,
                     false,
                     fmt::format("{} {}", sector.segment, cardiac::ahaNames(model)[s])}));
    }
    curves.push_back(curveOf(
        outcome, [&](const cardiac::FrameMeasures& frame) { return 100 * frame.strain[direction]; },
        {{}, "#000000", 2.5, true, "global"}));
    return chartOf(outcome, fmt::format("{} strain, %", cardiac::directionNames[direction]),
                   curves);
}

Drawing segmentColorKey(cardiac::AhaModel model) {
    constexpr double size = 60;
    Drawing drawing{2 * size + 2, 2 * size + 2, "colors of the segments", {}, {}, {}};
    for (const BullsEyeSector& sector : bullsEyeSectors(model)) {
        const DrawingPoint center{size + 1, size + 1};
        drawing.areas.push_back(
            {outlineOf(sector, center, size), segmentColor(sector), "#ffffff",
             cardiac::ahaNames(model)[static_cast<std::size_t>(sector.segment - 1)]});
        const BullsEyePoint middle = sector.middle();
        drawing.texts.push_back({{center.x + size * middle.x, center.y - size * middle.y + 4},
                                 fmt::format("{}", sector.segment),
                                 "#ffffff",
                                 WordsAnchor::Middle,
                                 10});
    }
    return drawing;
}

Drawing volumeCurve(const StrainOutcome& outcome) {
    return chartOf(
        outcome, "volume of the cavity, ml",
        {curveOf(outcome, [](const cardiac::FrameMeasures& frame) { return frame.cavity.midWall; },
                 {{}, accent, 2, false, "inside mid-wall"})});
}

Drawing twistCurves(const StrainOutcome& outcome) {
    using cardiac::FrameMeasures;
    return chartOf(
        outcome, "rotation, degrees: apex red, base blue; twist dashed",
        {curveOf(outcome, [](const FrameMeasures& frame) { return frame.rotation.apical; },
                 {{}, "#c0392b", 2, false, "apex"}),
         curveOf(outcome, [](const FrameMeasures& frame) { return frame.rotation.basal; },
                 {{}, accent, 2, false, "base"}),
         curveOf(outcome, [](const FrameMeasures& frame) { return frame.rotation.twist; },
                 {{}, "#000000", 2, true, "twist"})});
}

Drawing jacobianHistogram(const StrainOutcome& outcome) {
    const auto es = static_cast<std::size_t>(outcome.summary.endSystole);
    const auto& shares = outcome.measures.frames[es].volume.histogram;
    const auto bins = static_cast<double>(shares.size());
    Chart chart("J in the wall at end systole, % of its voxels",
                {cardiac::jacobianFrom, cardiac::jacobianFrom + bins * cardiac::jacobianStep,
                 PlotAxis::Steps::Decimal},
                {0, *std::ranges::max_element(shares), PlotAxis::Steps::Decimal},
                "J: volume over that at end diastole");
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const double from = cardiac::jacobianFrom + static_cast<double>(i) * cardiac::jacobianStep;
        if (shares[i] > 0)
            chart.bar(from, from + cardiac::jacobianStep, shares[i],
                      fmt::format("{:.3f} to {:.3f}: {:.1f} %", from, from + cardiac::jacobianStep,
                                  shares[i]));
    }
    chart.mark(1, "1");
    return std::move(chart).drawn();
}

} // namespace systole
