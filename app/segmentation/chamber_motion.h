// How a chamber is carried over the frames, in the command and in the viewer alike.
#pragma once

#include "compute/surface/chamber_tracker.h"

namespace systole {

/// From one frame to the next a heart's chamber hardly ever fills by more.
inline constexpr double suddenGrowth = 1.35;

/// The default method with its default parameters, on the CPU, as everywhere where none was chosen.
MotionBetween chamberMotion();

} // namespace systole
