// Block matching on the device: the CUDA implementation of compute/methods/ffd/affine_blocks.h. All
// pointers are to device memory.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/methods/ffd/affine_blocks.h"

namespace systole::gpu {

void blockVariances(VolumeView<const float> image, VolumeView<const float> mask, float* variances,
                    LaunchLog& log);

void warpByMap(VolumeView<const float> moving, VolumeView<const float> mask,
               const affine::VoxelMap& map, VolumeView<float> out, LaunchLog& log);

/// Input and output of matchBlocks(), as of affine::matchBlocks().
struct Matching {
    VolumeView<const float> fixed, warped;
    const int* blocks;
    affine::Search search;
    affine::BlockMatch* matches;
};
/// `count` blocks of voxels, a block of threads each. The variant is one of affine::matchFamily.
void matchBlocks(int variant, const Matching& m, int count, LaunchLog& log);

} // namespace systole::gpu
