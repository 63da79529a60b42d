#include "app/units.h"

#include <fmt/format.h>

namespace systole {

std::string quantity(std::string_view number, std::string_view unit) {
    return fmt::format("{}\u00a0{}", number, unit);
}

std::string plainSpaces(std::string text) {
    constexpr std::string_view noBreak = "\u00a0";
    for (std::size_t at = 0; (at = text.find(noBreak, at)) != std::string::npos;)
        text.replace(at, noBreak.size(), " ");
    return text;
}

std::string figureText(double value) {
    return value < 999.5 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

std::string secondsText(double seconds) {
    if (!(seconds > 0))
        return "–";
    const auto threeDigits = [](double value) { return fmt::format("{:.3g}", value); };
    if (seconds < 999.5e-9)
        return quantity(threeDigits(1e9 * seconds), "ns");
    if (seconds < 999.5e-6)
        return quantity(threeDigits(1e6 * seconds), "µs");
    if (seconds < 0.9995)
        return quantity(threeDigits(1e3 * seconds), "ms");
    return quantity(figureText(seconds), "s");
}

std::string percentText(double fraction) {
    const double percent = 100 * fraction;
    return quantity(percent < 10 ? fmt::format("{:.2g}", percent) : fmt::format("{:.0f}", percent),
                    "%");
}

std::string timesText(double ratio) { return fmt::format("{:.2f} times", ratio); }

std::string voxelsText(int side) { return fmt::format("{}³ voxels", side); }

} // namespace systole
