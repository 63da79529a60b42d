// One way to check calls of the CUDA runtime; for .cu files alone.
#pragma once

#include "compute/core/error.h"

#include <cuda_runtime.h>
#include <string>

namespace systole {

/// Throws ComputeError saying what was being done and what CUDA answered; OutOfMemory when that is
/// why. The answer of a failed call is also cleared from the runtime's memory, so that it isn't
/// reported again by a later call.
inline void cudaCheck(cudaError_t answer, const char* doing) {
    if (answer == cudaSuccess)
        return;
    cudaGetLastError();
    const std::string sentence = std::string("CUDA: ") + doing + ": " + cudaGetErrorString(answer);
    if (answer == cudaErrorMemoryAllocation)
        throw OutOfMemory(sentence);
    throw ComputeError(sentence);
}

} // namespace systole
