// Resets of single parts of the session, each undoable.
#pragma once

#include "app/session/session.h"

#include <string>

namespace systole {

/// Window, colors, opacity and overlays; the layout stays.
void resetDisplay(Session& session);
/// The parameters of both sides, to the presets they started from.
void resetParameters(Session& session);
/// Removes both marks.
void resetMarks(Session& session);

/// "preset default", or "defaults" without a preset.
std::string presetName(const MotionChoice& choice);
/// presetName() of both sides, only once if they are equal.
std::string presetsText(const Session& session);

} // namespace systole
