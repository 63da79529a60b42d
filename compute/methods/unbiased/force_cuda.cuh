// The unbiased method's force and energy on the device, and the decision about the step that led
// there. All pointers are to device memory.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/unbiased/steps.h"
#include "compute/methods/unbiased/variants.h"

namespace systole::unbiased {

/// A force and what is decided by the energy that comes with it.
struct ForceStep {
    Frames frames;
    FieldView<const float> motion[2];
    FieldView<float> out;
    ForceRule rule;
    StepRule steps;
    ForceUse use;
    LevelState* level;
    gpu::GridSum sum;
    double energyUnit = 0; ///< set by enqueueForce()
};

/// Enqueues the force by a variant of forceFamily. Does nothing on a level that has ended, unless
/// it is alone.
void enqueueForce(int variant, const ForceStep& step, LaunchLog& log);
/// Maximum number of blocks per launch: the room that the sum needs.
std::size_t forceBlocks(Size3 size);

std::vector<CompiledCost> compiledForceCosts();

} // namespace systole::unbiased
