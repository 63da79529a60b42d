#include "compute/cuda/check.cuh"
#include "compute/cuda/waiting.h"

namespace systole {

void sleepWhileWaiting(CudaContext& cuda) {
    cudaCheck(cudaSetDevice(cuda.device().index), "turning to the device");
    cudaCheck(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), "waiting for it asleep");
}

} // namespace systole
