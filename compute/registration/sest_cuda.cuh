// SEST on the device: the CUDA form of compute/registration/sest.h. All pointers are to device
// memory.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/registration/sest.h"

namespace systole::gpu {

void sestFeatures(VolumeView<const float> frame, float* planes, LaunchLog& log);

void sestDescribe(const sest::FeatureView& frame, const sest::Voxel* landmarks, int count,
                  float* descriptors, LaunchLog& log);

/// A row of blocks for each landmark, a thread for each candidate, as the paper has it: at most
/// 65535 landmarks a launch, and as many launches as that takes.
void sestDistances(sest::DistanceVariant variant, const sest::FeatureView& target,
                   const sest::Voxel* centres, int count, const float* descriptors,
                   float* distances, LaunchLog& log);

} // namespace systole::gpu
