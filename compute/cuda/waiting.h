// How the host waits for a device.
#pragma once

#include "compute/cuda/context.h"

namespace systole {

/// Makes threads of this process sleep, from now on, while they wait for the context's device. By
/// default a waiting thread polls the device; a sleeping one notices some microseconds later, but
/// its core is free for other work. Throws ComputeError. Defined in builds with CUDA (cudaIsBuilt).
void sleepWhileWaiting(CudaContext& cuda);
/// Whether those that wait for the device of the calling thread do. Throws ComputeError.
bool sleepsWhileWaiting();

} // namespace systole
