// The widget of one parameter, as its row says.
#pragma once

#include "compute/core/params.h"

#include <string>

namespace systole {

/// Takes the width set for the next item. True when the user changed the value.
bool editParameter(const ParamRow& row, ParamValue& value);

/// Over the last item, while the pointer rests on it.
void wrappedTooltip(const std::string& text, float width = 280);

} // namespace systole
