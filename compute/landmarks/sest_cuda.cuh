// SEST on the device: the CUDA implementation of compute/landmarks/sest.h. All pointers are to
// device memory.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/kernel_task.h"
#include "compute/cuda/launch.cuh"
#include "compute/landmarks/sest.h"

namespace systole::gpu {

void sestFeatures(VolumeView<const float> frame, float* planes, LaunchLog& log);

void sestDescribe(const sest::FeatureView& frame, const Voxel* landmarks, int count,
                  float* descriptors, LaunchLog& log);

/// One row of blocks per landmark, one thread per candidate, as in the paper: at most 65535
/// landmarks per launch, and as many launches as needed. The variant is one of sest::searchFamily.
void sestDistances(int variant, const sest::FeatureView& target, const Voxel* centers, int count,
                   const float* descriptors, float* distances, LaunchLog& log);

/// The distances of all candidates of side²/16 landmarks, for the laboratory.
lab::KernelTask makeSestTask(CudaContext& cuda, int side);
std::vector<CompiledCost> compiledSestCosts();

} // namespace systole::gpu
