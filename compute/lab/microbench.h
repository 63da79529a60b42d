// What the models need to know of a GPU, measured on it: latencies by chains of dependent accesses
// and operations timed with the multiprocessor's clock, bandwidths by copies
// (after Wong et al., ISPASS 2010, the paper's reference 44).
#pragma once

#include "compute/cuda/context.h"
#include "compute/model/machine.h"

#include <functional>
#include <string>

namespace systole::model {

/// Takes a second or two and half a gigabyte of the device's pool for a moment. `progress`: what is
/// being measured, and the part done. Throws ComputeError (also in a build without CUDA),
/// OutOfMemory and Cancelled (thrown by progress).
GpuMachine measureMachine(CudaContext& cuda,
                          const std::function<void(const std::string&, double)>& progress = {});

} // namespace systole::model
