// Ticks and units of a bar of colors.
#pragma once

#include "render/base/colormaps.h"

#include <functional>
#include <string>
#include <vector>

namespace systole {

struct ColorBarTick {
    double part; ///< fraction of the bar's length, 0 at the bottom
    std::string label;
    bool operator==(const ColorBarTick&) const = default;
};
/// Round numbers from 0 to maximum, both ends included.
std::vector<ColorBarTick> colorBarTicks(double maximum);

/// Colors of something else than the motion.
struct ColorScale {
    ColorMap map = ColorMap::Viridis;
    std::string caption, unit; ///< quantity and unit; the unit may be empty
    std::vector<ColorBarTick> ticks;
    std::string lowest{}, highest{}; ///< meanings of both ends of the bar; empty: only their values
    bool operator==(const ColorScale&) const = default;
};
/// Its values from the lowest to the highest, with the unit: "0–12 mm", "-30 to 30 %".
std::string rangeText(const ColorScale& scale);

/// Colors of a map of numbers that stand for something else.
struct ValueColors {
    ColorScale scale; ///< scale in the legend; the middle of a diverging one is transparent
    /// Numbers at the lower and upper end of the colors; `low` may be the higher one.
    double low = 0, high = 1;
    std::function<std::string(double number)> text; ///< meaning of a number
};

/// The unit in which lengths up to `maximum` (mm) can be read without powers of ten.
struct LengthUnit {
    double millimeters; ///< length of one unit
    const char* name;
};
LengthUnit lengthUnit(double maximumMillimeters);

} // namespace systole
