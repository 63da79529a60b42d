// The pair of frames that tasks of the laboratory work on: a smooth random pattern, moved by a
// smooth field of a few voxels.
#pragma once

#include "compute/core/volume.h"
#include "compute/cuda/launch.cuh"

namespace systole::gpu {

/// Paints both frames, grey values around the middle of 0 to 255, and into `halfMotion`, whose
/// size is theirs, half of the motion between them: what a warp amid an estimation starts from. All
/// in device memory.
void paintSmoothFrames(float* fixed, float* moving, FieldView<float> halfMotion, LaunchLog& log);

} // namespace systole::gpu
