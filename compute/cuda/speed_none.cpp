// Device speed in a build without CUDA: unavailable.
#include "compute/core/error.h"
#include "compute/cuda/speed.h"

namespace systole {

double DeviceSpeed::copyBandwidth() const { return 0; }

DeviceSpeed measureDeviceSpeed(CudaContext&, const std::vector<std::size_t>&) {
    throw ComputeError(cudaStatus().reason);
}

} // namespace systole
