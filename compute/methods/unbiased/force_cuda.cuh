// The unbiased method's force and energy on the device, and the decision about the step that led
// there. All pointers are to device memory.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/unbiased/steps.h"
#include "compute/methods/unbiased/variants.h"

namespace systole::unbiased {

/// What controls a level's iterations; written by kernels, read by kernels. Zero when a level
/// begins.
struct DeviceLevel {
    StepState steps;
    int current;      ///< which of the two motion fields is the motion; the other, the candidate
    int idle;         ///< the last force isn't used: the step is undone, or the level has ended
    int startFound;   ///< the start doesn't fold
    unsigned largest; ///< bits of the squared length of the candidate's largest update
};

/// Which displacement's force is wanted, and what its energy is for.
enum class ForceUse {
    Start,     ///< motion[0], unless startFound: the level begins with it
    Candidate, ///< the candidate, which is judged
    Alone,     ///< motion[0], for measurements: steps.energy becomes its energy
};

/// A force and what is decided by the energy that comes with it.
struct ForceStep {
    Frames frames;
    FieldView<const float> motion[2];
    FieldView<float> out;
    ForceRule rule;
    StepRule steps;
    ForceUse use;
    DeviceLevel* level;
    gpu::GridSum sum;
};

/// Enqueues the force by a variant of forceFamily. Does nothing on a level that has ended, unless
/// it is alone.
void enqueueForce(int variant, const ForceStep& step, LaunchLog& log);
/// Maximum number of blocks per launch: the room that the sum needs.
std::size_t forceBlocks(Size3 size);

std::vector<CompiledCost> compiledForceCosts();

} // namespace systole::unbiased
