// The makers of the panels that are no tool's. Only the list in panels.cpp calls them.
#pragma once

#include "app/feature/panel.h"

#include <memory>

namespace systole {

/// Time per stage of an estimation, live.
std::unique_ptr<Panel> makeTimingPanel();
/// Motion estimation method and its parameters, changed while it runs.
std::unique_ptr<Panel> makeParametersPanel();
/// Both sides of the layout side by side: method, times, difference of the fields.
std::unique_ptr<Panel> makeComparePanel();
/// Occupancy of the kernels that just ran, and their distance from the roofline.
std::unique_ptr<Panel> makeOccupancyPanel();
/// Buffers in device memory, or in host memory where no device is in use.
std::unique_ptr<Panel> makeDeviceMemoryPanel();
/// Display options.
std::unique_ptr<Panel> makeViewPanel();

} // namespace systole
