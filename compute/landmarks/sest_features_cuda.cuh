// Features of a frame on the device: the CUDA implementation of sest::findFeatures(). All pointers
// are to device memory.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/landmarks/sest.h"

namespace systole::gpu {

void sestFeatures(VolumeView<const float> frame, float* planes, LaunchLog& log);

} // namespace systole::gpu
