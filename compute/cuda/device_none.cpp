// The device list in a build without CUDA.
#include "compute/cuda/device.h"

namespace systole {

CudaStatus cudaStatus() {
    CudaStatus status;
    status.reason = "the program was built without CUDA";
    return status;
}

} // namespace systole
