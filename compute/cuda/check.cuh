// Checks calls of the CUDA runtime; for .cu files only.
#pragma once

#include "compute/core/error.h"

#include <cuda_runtime.h>
#include <string>

namespace systole {

/// Throws ComputeError with the failed operation and CUDA's error message, or OutOfMemory if that
/// is the cause. Also clears the runtime's stored error, so that a later call doesn't report it
/// again.
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
