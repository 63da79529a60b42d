#include "render/overlays/map_rows.h"

namespace systole {

std::vector<DisplayRow> withMapScale(std::vector<DisplayRow> rows, const MapScale& scale) {
    rows.push_back({.param = realParam(scale.id + "-maximum", 0, 0, scale.highest, scale.unit,
                                       scale.help + "; chosen when not given."),
                    .label = scale.label + " maximum",
                    .automatic = true,
                    .group = scale.group,
                    .sliderMaximum = scale.sliderMaximum});
    rows.push_back(
        {.param = realParam(scale.id + "-opacity", scale.opacity, 0, 1, "", "Opacity of that map."),
         .label = scale.label + " opacity",
         .group = scale.group});
    return rows;
}

} // namespace systole
