// The implementations of the free-form deformation; ffd.h chooses one.
#pragma once

#include "compute/methods/ffd/ffd.h"

namespace systole {

/// Backend::Cpu and Backend::CpuReference, by the context's backend.
std::unique_ptr<FfdEstimator> makeFfdCpu(const FfdParameters& parameters);
/// Defined in builds with CUDA (cudaIsBuilt).
std::unique_ptr<FfdEstimator> makeFfdCuda(const FfdParameters& parameters);

} // namespace systole
