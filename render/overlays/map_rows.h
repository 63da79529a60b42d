// The options that every map of colors has.
#pragma once

#include "render/display_rows.h"

#include <string>
#include <vector>

namespace systole {

struct MapScale {
    std::string id, label; ///< id and label of the map: "certainty", "error"
    std::string group;
    /// Help and unit of the value at the upper end of the colors.
    std::string help, unit;
    /// Upper limits of that value: accepted, and on the slider.
    double highest = 0, sliderMaximum = 0;
    double opacity = 0.6; ///< the default
};

/// The rows, and after them two more: the value at the upper end of the colors, chosen when not
/// given, and the opacity.
std::vector<DisplayRow> withMapScale(std::vector<DisplayRow> rows, const MapScale& scale);

} // namespace systole
