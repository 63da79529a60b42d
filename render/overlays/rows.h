// All options of the display: the scene's rows and those of the overlays.
#pragma once

#include "render/display_rows.h"

#include <string>
#include <vector>

namespace systole {

/// Whether an overlay is on that shows the motion.
bool showsMotionOverlays(const DisplayOptions& display);
/// Whether an overlay is on whose colors stand for the length of the motion.
bool colorsMotion(const DisplayOptions& display);
/// Whether an overlay is on that shows only motion that is on the host.
bool readsHostFields(const DisplayOptions& display);
/// Whether an overlay is on that shows the motion's standard error.
bool readsStandardErrors(const DisplayOptions& display);
/// Whether an overlay is on that shows the motion of all frames.
bool readsCycle(const DisplayOptions& display);
/// Whether an overlay is on that shows two images in turn.
bool flickers(const DisplayOptions& display);

/// Every option of the display: the scene's rows, then those of the overlays.
const std::vector<DisplayRow>& displayRows();
/// Throws ComputeError for an unknown id.
const DisplayRow& displayRow(const std::string& id);
/// Throws ComputeError for an unknown id or an invalid value.
void setOption(DisplayOptions& display, const std::string& id, ParamValue value);

} // namespace systole
