// The motion that remains once around the cycle, where tissue should be back in its place.
// gap_on_device.h does the same on a CUDA device.
#pragma once

#include "compute/cardiac/measures.h"
#include "compute/core/frame_result.h"

#include <memory>
#include <span>

namespace systole::cardiac {

/// Displacements from the reference once around the cycle and back to it, LPS mm: 0 if it closes.
struct CycleGap {
    Displacements wall, cavity;
};
/// Where tissue is after the steps, which follow one another from where `begun` has led it;
/// trilinear, clamped at the grid's border. `begun` empty: from its own place.
Displacements followed(const TissueVoxels& tissue, const Displacements& begun,
                       std::span<const std::shared_ptr<const FrameResult>> steps);
void takeOff(const Displacements& gap, double part, Displacements& from);
/// Mean length of the displacements, mm.
double meanLength(const Displacements& displacements);

} // namespace systole::cardiac
