// Measured speed of a CUDA device: the limits that its kernels are compared with.
#pragma once

#include "compute/cuda/context.h"

#include <cstddef>
#include <vector>

namespace systole {

/// Copy rates in bytes per second, the best of several passes.
struct CopySpeed {
    std::size_t bytes = 0; ///< size of the copied array
    double kernel = 0;     ///< kernel copying 16 bytes per thread and step; read plus written
    double runtime = 0;    ///< the runtime's copy on the device; read plus written
};

struct DeviceSpeed {
    double clockHertz = 0;         ///< clock of a busy multiprocessor
    std::vector<CopySpeed> copies; ///< one per requested size, in that order
    double upload = 0;             ///< bytes per second from pinned host memory
    double download = 0;

    /// Limit of the device's memory: the faster copy of the largest array.
    double copyBandwidth() const;
};

/// Takes some tens of milliseconds and, for a moment, two arrays of the largest size from the
/// device's pool. Throws OutOfMemory, and ComputeError in a build without CUDA.
DeviceSpeed measureDeviceSpeed(CudaContext& cuda, const std::vector<std::size_t>& copyBytes);

} // namespace systole
