// The CUDA form of CLG as an estimator.
#pragma once

#include "compute/methods/clg/clg.h"

namespace systole {

/// Its first estimate takes the device memory that it keeps until it is destroyed or meets another
/// size, spacing or context; the context must outlive it. Throws ComputeError in a build without
/// CUDA.
std::unique_ptr<MotionEstimator> makeClgCuda(const ClgParameters& parameters);
/// Whether this build holds it.
bool clgCudaIsBuilt();

} // namespace systole
