// The two sides of the layout side by side: what each runs, how long it takes, how far they differ.
#pragma once

#include "app/panels/panel.h"

#include <memory>

namespace systole {

std::unique_ptr<Panel> makeComparePanel();

} // namespace systole
