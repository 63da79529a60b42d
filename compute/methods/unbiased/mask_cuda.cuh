// What masks leave of the frames on the device. All pointers are to device memory.
#pragma once

#include "compute/methods/unbiased/force_cuda.cuh"
#include "compute/ops/frame_masks_cuda.cuh"

namespace systole::unbiased {

/// Enqueues the fixed frame with which the force of `step` compares: T∘h where voxels don't count,
/// so that there is no difference. Does nothing where the force does nothing.
void enqueueCompared(const ForceStep& step, const FrameMasks& masks, VolumeView<float> compared,
                     LaunchLog& log);

} // namespace systole::unbiased
