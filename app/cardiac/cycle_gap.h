// What is left of a motion once around the cycle, where tissue should be back in its place.
#pragma once

#include "compute/cardiac/measures.h"
#include "compute/core/frame_result.h"

#include <limits>
#include <memory>
#include <span>
#include <string>

namespace systole {

/// A cycle's frames and length, of which a motion may not yet know all.
struct Beat {
    int frames = 0;
    double seconds = std::numeric_limits<double>::quiet_NaN(); ///< NaN: unknown
};
/// From the times of all its frames, s: from the first to the last and a mean step more.
Beat beatOf(std::span<const double> seconds);

/// Displacements from the reference once around the cycle and back to it, LPS mm: 0 if it closes.
struct CycleGap {
    cardiac::Displacements wall, cavity;
};
/// Where tissue is after the steps, which follow one another from where `begun` has led it;
/// trilinear, clamped at the grid's border. `begun` empty: from its own place.
cardiac::Displacements followed(const cardiac::TissueVoxels& tissue,
                                const cardiac::Displacements& begun,
                                std::span<const std::shared_ptr<const FrameResult>> steps);
/// Takes off each frame the gap's part that belongs to its time, so that the cycle closes; by the
/// frames' numbers where times are unknown. `motion` begins in the reference, and is only its
/// displacements then.
void closeGap(const CycleGap& gap, const Beat& beat, cardiac::VentricleMotion& motion);
/// Of the displacements, mm.
double meanLength(const cardiac::Displacements& displacements);

/// The mean length of the gap in the wall, mm; NaN: unknown.
struct CycleResidual {
    double steps = std::numeric_limits<double>::quiet_NaN(); ///< of all steps one after the other
    /// Of the motion that is measured, with a step from the last frame to the first.
    double measured = std::numeric_limits<double>::quiet_NaN();
    bool closed = false; ///< it is taken off
};

/// "After the cycle the wall is 0.3 mm from its place (frame to frame: 1.2 mm)"; of a known one.
std::string closureText(const CycleResidual& residual);

} // namespace systole
