// The search with work shared on the device: the CUDA implementation of
// compute/landmarks/descriptor_search.h. All pointers are to device memory.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/landmarks/descriptor_search.h"

namespace systole::gpu {

void describePlaces(const sest::FeatureView& frame, Size3 patch, const Voxel* places, int count,
                    float* descriptors, LaunchLog& log);

enum class Measure { Distance, Squared };

/// Regions of `count` landmarks, to search for their descriptors.
struct RegionSearch {
    sest::FeatureView target;
    sest::Window window;
    const Voxel* centers;
    int count;
    const float* descriptors;
    Measure measure;
    float* distances;
};
/// The kernel sest/column-sums.
void searchRegions(const RegionSearch& s, LaunchLog& log);

} // namespace systole::gpu
