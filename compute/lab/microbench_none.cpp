// Without CUDA there is nothing to measure.
#include "compute/core/error.h"
#include "compute/lab/microbench.h"

namespace systole::lab {

model::GpuMachine measureMachine(CudaContext&,
                                 const std::function<void(const std::string&, double)>&) {
    throw ComputeError(cudaStatus().reason);
}

} // namespace systole::lab
