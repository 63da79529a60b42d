// Ticks and units of a bar of colors.
#pragma once

#include <string>
#include <vector>

namespace systole {

struct ColorBarTick {
    double part; ///< fraction of the bar's length, 0 at the bottom
    std::string label;
};
/// Round numbers from 0 to maximum, both ends included.
std::vector<ColorBarTick> colorBarTicks(double maximum);

/// The unit in which lengths up to `maximum` (mm) can be read without powers of ten.
struct LengthUnit {
    double millimeters; ///< length of one unit
    const char* name;
};
LengthUnit lengthUnit(double maximumMillimeters);

} // namespace systole
