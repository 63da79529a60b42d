#include "app/study/agreement_chart.h"

#include "app/base/plot_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

constexpr double width = 420, height = 260, left = 56, right = 28, top = 32, bottom = 36;
constexpr double dot = 3; ///< pixels from the middle of a mark to its edge
constexpr int ticksAcross = 6, ticksUp = 5;
constexpr const char *ink = "#222222", *faint = "#dddddd", *accent = "#1f5fbf";

PlotAxis axisOf(std::vector<double> values, int ticks) {
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    const auto [low, high] = std::ranges::minmax(values);
    return PlotAxis(low, high, PlotAxis::Steps::Decimal).rounded(ticks);
}

} // namespace

Drawing agreementChart(const Agreement& agreement, const std::string& title,
                       const std::string& unit) {
    std::vector<double> heights = agreement.differences;
    heights.insert(heights.end(), {0.0, agreement.low(), agreement.high()});
    const PlotAxis x = axisOf(agreement.means, ticksAcross), y = axisOf(heights, ticksUp);
    const auto at = [&](double mean, double difference) {
        return DrawingPoint{left + (width - left - right) * x.position(mean),
                            height - bottom - (height - top - bottom) * y.position(difference)};
    };
    Drawing drawing{width, height, title + ": differences from the reference", {}, {}, {}};
    drawing.texts.push_back({{0, 14},
                             fmt::format("{}, {}: measured less reference", title, unit),
                             ink,
                             WordsAnchor::Start,
                             13});
    for (const PlotTick& tick : y.ticks(ticksUp)) {
        const DrawingPoint p = at(x.low(), tick.value);
        drawing.lines.push_back({{p, at(x.high(), tick.value)}, faint});
        drawing.texts.push_back({{p.x - 6, p.y + 4}, tick.label, ink, WordsAnchor::End, 11});
    }
    for (const PlotTick& tick : x.ticks(ticksAcross)) {
        const DrawingPoint p = at(tick.value, y.low());
        drawing.texts.push_back({{p.x, p.y + 16}, tick.label, ink, WordsAnchor::Middle, 11});
    }
    drawing.texts.push_back(
        {{width - right, height - 4}, "mean of measured and reference", ink, WordsAnchor::End, 11});
    for (const auto& [value, name] : {std::pair(agreement.bias, "mean difference"),
                                      std::pair(agreement.low(), "lower limit of agreement"),
                                      std::pair(agreement.high(), "upper limit of agreement")})
        if (std::isfinite(value))
            drawing.lines.push_back(
                {{at(x.low(), value), at(x.high(), value)}, ink, 1, true, name});
    for (std::size_t i = 0; i < agreement.means.size(); ++i) {
        const DrawingPoint p = at(agreement.means[i], agreement.differences[i]);
        drawing.areas.push_back(
            {{{p.x - dot, p.y}, {p.x, p.y - dot}, {p.x + dot, p.y}, {p.x, p.y + dot}},
             accent,
             accent,
             fmt::format("{:.4g}", agreement.differences[i])});
    }
    return drawing;
}

} // namespace systole
