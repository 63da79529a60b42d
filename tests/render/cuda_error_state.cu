#include "tests/render/cuda_error_state.h"

#include <cuda_runtime.h>

namespace systole {

std::string pendingCudaError() {
    // Without a driver every question is answered with the same error, which nobody left behind.
    const cudaError_t first = cudaGetLastError(), second = cudaGetLastError();
    return first == second ? "" : cudaGetErrorName(first);
}

} // namespace systole
