#include "tests/render/cuda_error_state.h"

#include <cuda_runtime.h>

namespace systole {

std::string pendingCudaError() {
    // Every call returns the same error where there is no driver; no earlier call left it behind.
    const cudaError_t first = cudaGetLastError(), second = cudaGetLastError();
    return first == second ? "" : cudaGetErrorName(first);
}

} // namespace systole
