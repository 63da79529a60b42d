// CLG's CUDA form in a build without CUDA: there is none.
#include "compute/core/error.h"
#include "compute/cuda/device.h"
#include "compute/methods/clg/clg_cuda.h"

namespace systole {

std::unique_ptr<MotionEstimator> makeClgCuda(const ClgParameters&) {
    throw ComputeError("CLG has no CUDA form here: " + cudaStatus().reason);
}

bool clgCudaIsBuilt() { return false; }

} // namespace systole
