// The force kernel of the unbiased method by itself, from host memory to host memory.
#pragma once

#include "compute/core/block_sizes.h"
#include "compute/cuda/context.h"
#include "compute/methods/unbiased/steps.h"

#include <vector>

namespace systole::test {

struct ForceFound {
    double energy;
    std::vector<float> force;
};
/// The force at a motion, and the energy, by a variant of forceFamily in blocks of so many threads.
ForceFound forceOnDevice(int variant, int threads, const unbiased::Frames& frames,
                         FieldView<const float> motion, const unbiased::ForceRule& rule,
                         CudaContext& cuda);

} // namespace systole::test
