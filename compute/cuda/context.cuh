// The parts of a CudaContext that need the runtime's types; for .cu files alone.
#pragma once

#include "compute/cuda/check.cuh"
#include "compute/cuda/context.h"

namespace systole {

inline cudaStream_t streamOf(const CudaContext& cuda, CudaStream stream = CudaStream::Compute) {
    return static_cast<cudaStream_t>(cuda.handle(stream));
}

} // namespace systole
