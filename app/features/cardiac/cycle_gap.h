// A cycle's length, and what is left of its motion (compute/cardiac/cycle_gap.h), which is taken
// off and reported.
#pragma once

#include "compute/cardiac/cycle_gap.h"

#include <limits>
#include <span>
#include <string>

namespace systole {

/// A cycle's frames and length, of which a motion may not yet know all.
struct Beat {
    int frames = 0;
    double seconds = std::numeric_limits<double>::quiet_NaN(); ///< NaN: unknown
};
/// The beat whose frames have these times, s: it lasts from the first to the last and a mean step
/// more.
Beat beatOf(std::span<const double> seconds);

/// The part of the gap that belongs to the time of the frame at a place, so that the cycle closes
/// without it; by the frames' numbers where times are unknown. `motion` begins in the reference.
double gapPart(const Beat& beat, const cardiac::VentricleMotion& motion, std::size_t place);
/// Takes each frame's part off. `motion` is only its displacements then.
void closeGap(const cardiac::CycleGap& gap, const Beat& beat, cardiac::VentricleMotion& motion);

/// The mean length of the gap in the wall, mm; NaN: unknown.
struct CycleResidual {
    /// Gap after all steps, one after the other.
    double steps = std::numeric_limits<double>::quiet_NaN();
    /// Gap of the motion that is measured, with a step from the last frame to the first.
    double measured = std::numeric_limits<double>::quiet_NaN();
    bool closed = false; ///< it is taken off
};

/// "After the cycle the wall is 0.3 mm from its place (frame to frame: 1.2 mm)"; of a known one.
std::string closureText(const CycleResidual& residual);

} // namespace systole
