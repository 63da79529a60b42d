#include "app/lab/units.h"

#include <fmt/format.h>

namespace systole {

std::string figureText(double value) {
    return value < 999.5 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

std::string secondsText(double seconds) {
    if (!(seconds > 0))
        return "–";
    // Three digits, whatever the size.
    if (seconds < 999.5e-9)
        return fmt::format("{:.3g} ns", 1e9 * seconds);
    if (seconds < 999.5e-6)
        return fmt::format("{:.3g} µs", 1e6 * seconds);
    if (seconds < 0.9995)
        return fmt::format("{:.3g} ms", 1e3 * seconds);
    return fmt::format("{:.3g} s", seconds);
}

std::string partText(double fraction) {
    const double percent = 100 * fraction;
    return percent < 10 ? fmt::format("{:.2g} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string timesText(double ratio) { return fmt::format("{:.2f} times", ratio); }

std::string voxelsText(int side) { return fmt::format("{}³ voxels", side); }

} // namespace systole
