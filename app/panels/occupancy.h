// How the kernels that just ran fill the device, and how near they come to what it can do.
#pragma once

#include "app/panels/panel.h"

#include <memory>

namespace systole {

std::unique_ptr<Panel> makeOccupancyPanel();

} // namespace systole
