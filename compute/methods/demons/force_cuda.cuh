// The demons forces on the device. All pointers are to device memory.
#pragma once

#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/demons/demons.h"

namespace systole::gpu {

struct DemonsForceStep : DemonsForceInput {
    double* energy; ///< becomes the mean squared difference where the motion stays in the grid
    GridSum sum;
};
void demonsForces(int variant, const DemonsForceStep& step, LaunchLog& log);
/// Maximum number of blocks per launch: the room that the sum needs.
std::size_t demonsForceBlocks(Size3 size);

} // namespace systole::gpu
