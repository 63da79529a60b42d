// Lists from which a motion is chosen: method, backend, preset, reference. Each fills the rest of
// the line.
#pragma once

#include "app/estimation/motion_choice.h"
#include "compute/core/frame_result.h"

#include <vector>

namespace systole {

/// List of methods, with their names on the command line. Null: nothing was chosen.
const MotionMethod* chooseMethod(const MotionMethod& now, const std::vector<MotionMethod>& methods);
void chooseMethod(MotionChoice& choice);
/// Throws ComputeError if the backend is unavailable.
void chooseBackend(MotionChoice& choice);
void choosePreset(MotionChoice& choice);
/// `shown`: the motion that its views show, whose pair is named; null: none.
void chooseReference(MotionChoice& choice, const FrameResult* shown);

} // namespace systole
