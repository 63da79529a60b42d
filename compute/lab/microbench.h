// Measures the figures of a GPU that the models need: latencies by chains of dependent accesses and
// operations timed with the multiprocessor's clock, bandwidths by copies (after Wong et al., ISPASS
// 2010, the paper's reference 44).
#pragma once

#include "compute/cuda/context.h"
#include "compute/model/machine.h"

#include <functional>
#include <string>

namespace systole::lab {

/// Takes one or two seconds and temporarily 512 MiB of the device pool. `progress`: what is being
/// measured, and the fraction done. Throws ComputeError (also in a build without CUDA), OutOfMemory
/// and Cancelled (thrown by progress).
model::GpuMachine
measureMachine(CudaContext& cuda,
               const std::function<void(const std::string&, double)>& progress = {});

} // namespace systole::lab
