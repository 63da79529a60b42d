// The search with work shared on the device: the CUDA implementation of
// compute/landmarks/descriptor_search.h. All pointers are to device memory.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/landmarks/descriptor_search.h"

namespace systole::gpu {

void describePlaces(const sest::FeatureView& frame, Size3 patch, const Voxel* places, int count,
                    float* descriptors, LaunchLog& log);

enum class Measure { Distance, Squared };

/// The kernel sest/column-sums.
void searchRegions(const sest::FeatureView& target, const sest::Window& window,
                   const Voxel* centers, int count, const float* descriptors, Measure measure,
                   float* distances, LaunchLog& log);

} // namespace systole::gpu
