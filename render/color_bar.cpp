#include "render/color_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace systole {

std::vector<ColorBarTick> colorBarTicks(double maximum) {
    const double safe = std::isfinite(maximum) && maximum > 0 ? maximum : 1;
    // Chooses a number of steps such that each is 1, 2 or 5 times a power of ten; roundUp() yields
    // such maxima.
    int steps = 4;
    for (const int candidate : {5, 4, 3}) {
        const double step = safe / candidate;
        const double leading = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
        if (std::min({std::abs(leading - 1), std::abs(leading - 2), std::abs(leading - 5)}) <
            1e-6) {
            steps = candidate;
            break;
        }
    }
    std::vector<ColorBarTick> ticks;
    for (int i = 0; i <= steps; ++i) {
        const double part = i / static_cast<double>(steps);
        ticks.push_back({part, fmt::format("{:.4g}", safe * part)});
    }
    return ticks;
}

std::string rangeText(const ColorScale& scale) {
    std::string low = scale.ticks.front().label, high = scale.ticks.back().label;
    if (high.starts_with('-') && !low.starts_with('-')) // strain: shortening is on top
        std::swap(low, high);
    const bool negative = low.starts_with('-');
    return low + (negative ? " to " : "–") + high + (scale.unit.empty() ? "" : " " + scale.unit);
}

LengthUnit lengthUnit(double maximum) {
    if (maximum < 1e-5)
        return {1e-6, "nm"};
    if (maximum < 1e-2)
        return {1e-3, "µm"};
    return {1, "mm"};
}

} // namespace systole
