// How the host waits for a device.
#pragma once

#include "compute/cuda/context.h"

namespace systole {

/// From now on threads of this process that wait for the context's device sleep until it tells
/// them, where by default each asks it again and again: some microseconds later each time, but
/// their cores are free for others. Throws ComputeError. Defined in builds with CUDA (cudaIsBuilt).
void sleepWhileWaiting(CudaContext& cuda);
/// Whether those that wait for the device of the calling thread do. Throws ComputeError.
bool sleepsWhileWaiting();

} // namespace systole
