// The kernel laboratory: what is asked in the column, the answer's plots in the wide place.
#pragma once

#include "app/panels/panel.h"

#include <memory>

namespace systole {

inline constexpr const char* laboratoryTitle = "Laboratory";

std::unique_ptr<Panel> makeLaboratoryPanel();

} // namespace systole
