// The CUDA counterpart of white_noise.h. All pointers are to device memory.
#pragma once

#include "compute/cuda/kernel_support.cuh"

namespace systole::gpu {

/// Enqueues *out = factor · whiteNoise(image); the sum's room is for ⌈voxels / 256⌉ blocks, at most
/// 256.
void whiteNoise(VolumeView<const float> image, float factor, const GridSum& room, float* out,
                LaunchLog& log);

} // namespace systole::gpu
