// Where the time of a frame goes, live.
#pragma once

#include "app/panels/panel.h"

#include <memory>

namespace systole {

std::unique_ptr<Panel> makeTimingPanel();

} // namespace systole
