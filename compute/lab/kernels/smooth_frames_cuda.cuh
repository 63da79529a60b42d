// The frame pair for tasks of the laboratory: a smooth random pattern, displaced by a smooth field
// of a few voxels.
#pragma once

#include "compute/core/volume.h"
#include "compute/cuda/launch.cuh"

namespace systole::lab {

/// Writes both frames, gray values around the middle of 0 to 255, and half of the motion between
/// them into `halfMotion` (same size), as a warp during an estimation has it. All in device memory.
void paintSmoothFrames(float* fixed, float* moving, FieldView<float> halfMotion, LaunchLog& log);

} // namespace systole::lab
