// The widget of one parameter, chosen by its ParamRow.
#pragma once

#include "compute/core/params.h"

#include <string>

namespace systole {

/// Uses the width set for the next item. Returns true when the user changed the value.
bool editParameter(const ParamRow& row, ParamValue& value);

/// Tooltip broken into lines of `width` pixels.
void wrappedTooltip(const std::string& text, float width = 280);

} // namespace systole
