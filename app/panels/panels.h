// The makers of the panels. Only the list in panels.cpp calls them.
#pragma once

#include "app/panels/panel.h"

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
/// Kernel laboratory: the question in the column, the answer's plots in the wide area.
std::unique_ptr<Panel> makeLaboratoryPanel();
/// Registration of two images: choice, curves, iterations.
std::unique_ptr<Panel> makeRegisterPanel();
/// Volume change from noise alone: choice and figures in the column, maps in the wide area.
std::unique_ptr<Panel> makeBiasPanel();
/// The surface over the frames: source, figures, curves of volume and area.
std::unique_ptr<Panel> makeSurfacePanel();
/// A segmentation by hand: points, brush, pull, and the label map.
std::unique_ptr<Panel> makeSegmentPanel();
/// Landmarks: found and followed, their figures and errors.
std::unique_ptr<Panel> makeLandmarksPanel();
/// Display options.
std::unique_ptr<Panel> makeViewPanel();

} // namespace systole
