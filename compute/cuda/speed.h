// How fast a CUDA device is, measured: the limits that its kernels are held against.
#pragma once

#include "compute/cuda/context.h"

#include <cstddef>
#include <vector>

namespace systole {

/// Bytes a second, the best of several passes.
struct CopySpeed {
    std::size_t bytes = 0; ///< of the array that was copied
    double kernel = 0;     ///< a kernel that copies 16 bytes per thread and step; read plus written
    double runtime = 0;    ///< the runtime's own copy on the device; read plus written
};

struct DeviceSpeed {
    double clockHertz = 0;         ///< of a multiprocessor at work
    std::vector<CopySpeed> copies; ///< by size, as asked for
    double upload = 0;             ///< bytes per second from pinned host memory
    double download = 0;

    /// What the device's memory allows: the faster copy of the largest array.
    double copyBandwidth() const;
};

/// Takes some tens of milliseconds and, for a moment, two arrays of the largest size from the
/// device's pool. Throws OutOfMemory, and ComputeError in a build without CUDA.
DeviceSpeed measureDeviceSpeed(CudaContext& cuda, const std::vector<std::size_t>& copyBytes);

} // namespace systole
