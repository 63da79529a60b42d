// Motion by which a chamber is carried over the frames, the same in the command and in the viewer.
#pragma once

#include "compute/surface/chamber_tracker.h"

namespace systole {

/// The default method with its default parameters, on the CPU, as everywhere where none was chosen.
MotionBetween chamberMotion();

} // namespace systole
