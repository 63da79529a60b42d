// State that the window keeps between two starts: its place, the layout, the switches of the
// display and the panels. What a file or a question is about isn't kept.
#pragma once

#include "app/feature/panel.h"
#include "render/display_options.h"

class QWidget;

namespace systole {

/// Brings back the place at the last end, layout, overlays and panels; what the settings don't
/// have, or not as it was written, stays as it is.
void recallView(QWidget& window, DisplayOptions& display, Panels& panels, bool& columnShown);
void keepView(const QWidget& window, const DisplayOptions& display, const Panels& panels,
              bool columnShown);

} // namespace systole
