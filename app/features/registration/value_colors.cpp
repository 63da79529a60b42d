#include "app/features/registration/value_colors.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace systole {
namespace {

ValueColors diverging(std::string caption, std::vector<ColorBarTick> ticks, IntensityScale scale) {
    ValueColors colors;
    colors.scale = {ColorMap::Diverging, std::move(caption), "", std::move(ticks)};
    colors.low = static_cast<double>(scale.low);
    colors.high = static_cast<double>(scale.high);
    return colors;
}

/// Colors of |J|, which rises with the gray values: the red end of the colors has the lowest.
ValueColors volumeChange(std::string caption, const char* least, const char* most,
                         IntensityScale scale) {
    ValueColors colors = diverging(std::move(caption), {{0, most}, {0.5, "1"}, {1, least}}, scale);
    static_assert(volumeContracts.sign < 0);
    std::swap(colors.low, colors.high);
    colors.scale.highest = volumeContracts.name;
    colors.scale.lowest = volumeContracts.other;
    return colors;
}

} // namespace

std::shared_ptr<const ValueColors> valueColorsOf(RegistrationView view, IntensityScale scale) {
    const auto low = static_cast<double>(scale.low), range = static_cast<double>(scale.high) - low;
    const auto part = [low, range](double gray) { return (gray - low) / range; };
    ValueColors colors;
    if (view == RegistrationView::Jacobian) {
        colors = volumeChange("|J|", "0", "2", scale);
        colors.text = [part](double gray) {
            return part(gray) >= 1   ? "|J| 2 or more"
                   : part(gray) <= 0 ? "|J| 0 or less, folded"
                                     : fmt::format("|J| {:.3f}", 2 * part(gray));
        };
    } else if (view == RegistrationView::LogJacobian) {
        colors = volumeChange("|J|, logarithmic", "1/2", "2", scale);
        colors.text = [part](double gray) {
            return part(gray) >= 1   ? "|J| 2 or more"
                   : part(gray) <= 0 ? "|J| 1/2 or less, or folded"
                                     : fmt::format("|J| {:.3f}", std::exp2(2 * part(gray) - 1));
        };
    } else if (view == RegistrationView::Difference) {
        colors = diverging(
            "fixed - warped",
            {{0, fmt::format("-{:.4g}", range)}, {0.5, "0"}, {1, fmt::format("{:.4g}", range)}},
            scale);
        colors.text = [part, range](double gray) {
            return fmt::format("fixed - warped {:.4g}", (2 * part(gray) - 1) * range);
        };
    } else {
        return nullptr;
    }
    return std::make_shared<const ValueColors>(std::move(colors));
}

} // namespace systole
