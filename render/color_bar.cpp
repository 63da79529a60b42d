#include "render/color_bar.h"

#include "render/flat_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

LengthUnit lengthUnit(double maximum) {
    if (maximum < 1e-5)
        return {1e-6, "nm"};
    if (maximum < 1e-2)
        return {1e-3, "µm"};
    return {1, "mm"};
}

void drawColorBar(const ColorBar& bar, int width, int height, vtkRenderer* renderer,
                  FlatLayer& shapes, TextLayer& texts) {
    const double unit = bar.pixelRatio;
    const double barWidth = 14 * unit, barHeight = std::min(0.5 * height - 64 * unit, 220 * unit);
    // Below the letter in the middle of the border.
    if (barHeight < 40 * unit || width < 160 * unit)
        return;
    const double right = width - 52 * unit, bottom = 26 * unit;
    const Color text{0.92f, 0.93f, 0.95f}, rim{0.55f, 0.58f, 0.64f};

    // A dark background: in a slice the bar may lie over bright tissue.
    shapes.addRectangle(width - 128 * unit, bottom - 14 * unit, 124 * unit, barHeight + 46 * unit,
                        {0.02f, 0.025f, 0.035f}, 0.6);
    shapes.addRectangle(right - barWidth - unit, bottom - unit, barWidth + 2 * unit,
                        barHeight + 2 * unit, rim, 1);
    shapes.addGradient(right - barWidth, bottom, barWidth, barHeight, colorTable(bar.map, 64));
    const LengthUnit length = lengthUnit(bar.maximum);
    for (const ColorBarTick& tick : colorBarTicks(bar.maximum / length.millimeters)) {
        const double y = bottom + tick.part * barHeight;
        shapes.addRectangle(right, y - 0.5 * unit, 4 * unit, unit, rim, 1);
        texts.add(renderer, tick.label, right + 7 * unit, y, TextAnchor::CenterLeft, text, 12);
    }
    texts.add(renderer, fmt::format("{} [{}]", bar.caption, length.name), width - 8 * unit,
              bottom + barHeight + 20 * unit, TextAnchor::CenterRight, text, 12);
}

} // namespace systole
