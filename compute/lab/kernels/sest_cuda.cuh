// SEST on the device as compute/lab/kernels/sest.h says. All pointers are to device memory.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/launch.cuh"
#include "compute/lab/kernels/sest.h"

namespace systole::lab {

void sestDescribe(const sest::FeatureView& frame, const Voxel* landmarks, int count,
                  float* descriptors, LaunchLog& log);

/// One row of blocks per landmark, one thread per candidate, as in the paper: at most 65535
/// landmarks per launch, and as many launches as needed. The variant is one of sestFamily.
void sestDistances(int variant, const sest::FeatureView& target, const Voxel* centers, int count,
                   const float* descriptors, float* distances, LaunchLog& log);

std::vector<CompiledCost> compiledSestCosts();

} // namespace systole::lab
