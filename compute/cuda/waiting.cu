#include "compute/cuda/check.cuh"
#include "compute/cuda/waiting.h"

namespace systole {

void sleepWhileWaiting(CudaContext& cuda) {
    cudaCheck(cudaSetDevice(cuda.device().index), "turning to the device");
    cudaCheck(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), "waiting for it asleep");
}

bool sleepsWhileWaiting() {
    unsigned flags = 0;
    cudaCheck(cudaGetDeviceFlags(&flags), "asking how it is waited for");
    return (flags & cudaDeviceScheduleMask) == cudaDeviceScheduleBlockingSync;
}

} // namespace systole
