// Notes in a picture on motion that isn't that of its frame and of the chosen settings, or that
// means nothing.
#pragma once

#include "app/session/session.h"
#include "render/scene/scene.h"

#include <string>

namespace systole {

/// Notes in lines, such as "motion 17 to 18", "estimating …" and "opposite contrast". Plain
/// letters: the scene's font has no arrows. Requires current Session::estimation and
/// right.estimation.
MotionNotes motionNotes(const Session& session);

/// The change of settings since a motion was estimated: "earlier method: clg", or "earlier
/// parameters".
std::string earlierSettings(const MotionChoice& now, const MotionChoice& before);

/// True if the left side has a motion that isn't that of its frame and settings.
bool motionIsOutdated(const Session& session);

} // namespace systole
