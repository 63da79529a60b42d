// Whose buffers fill the memory of the device, or of this machine where none is in use.
#pragma once

#include "app/panels/panel.h"

#include <memory>

namespace systole {

std::unique_ptr<Panel> makeDeviceMemoryPanel();

} // namespace systole
