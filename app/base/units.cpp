#include "app/base/units.h"

#include <fmt/format.h>

#include <utility>

namespace systole {

namespace {

constexpr std::string_view space = " ", noBreak = "\u00a0";

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

} // namespace

std::string quantity(std::string_view number, std::string_view unit) {
    return fmt::format("{}{}{}", number, noBreak, unit);
}

std::string unbroken(std::string text) { return replaced(std::move(text), space, noBreak); }

std::string plainSpaces(std::string text) { return replaced(std::move(text), noBreak, space); }

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
