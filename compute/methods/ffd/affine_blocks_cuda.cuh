// Block matching on the device: the CUDA implementation of compute/methods/ffd/affine_blocks.h. All
// pointers are to device memory.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/launch.cuh"
#include "compute/methods/ffd/affine_blocks.h"

namespace systole::gpu {

void blockVariances(VolumeView<const float> image, VolumeView<const float> mask, float* variances,
                    LaunchLog& log);

void warpByMap(VolumeView<const float> moving, VolumeView<const float> mask,
               const affine::VoxelMap& map, VolumeView<float> out, LaunchLog& log);

/// One block of threads per block of voxels. The variant is one of affine::matchFamily.
void matchBlocks(int variant, VolumeView<const float> fixed, VolumeView<const float> warped,
                 const int* blocks, int count, affine::Search search, affine::BlockMatch* matches,
                 LaunchLog& log);

std::vector<CompiledCost> compiledBlockMatchCosts();

} // namespace systole::gpu
