// The widget of one parameter, chosen by its ParamRow.
#pragma once

#include "compute/core/params.h"

#include <imgui.h>

#include <string>

namespace systole {

/// Uses the width set for the next item. Returns true when the user changed the value. `shown`: in
/// place of a number; null: the number.
bool editParameter(const ParamRow& row, ParamValue& value, const char* shown = nullptr);

/// The help of a row of the table, with the words of the panels' rows where it names options.
std::string helpInWords(const ParamTable& table, const ParamRow& row);

/// Upper left corner, in pixels, of a tooltip that covers nothing of its panel, whose left edge is
/// at `panel`: left of the panel if there is room, otherwise above the item.
ImVec2 tooltipPlace(ImVec2 size, ImVec2 item, float panel, ImVec2 display);
/// Tooltip broken into lines of `width` pixels, at the pointer.
void wrappedTooltip(const std::string& text, float width = 280);
/// Wrapped tooltip of the last item, at tooltipPlace().
void itemTooltip(const std::string& text);

} // namespace systole
