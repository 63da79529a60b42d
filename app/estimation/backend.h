// The backend that runs a method: the requested one, or the best available, and why.
#pragma once

#include "compute/core/motion_estimator.h"
#include "compute/cuda/context.h"

#include <memory>
#include <string>
#include <vector>

namespace systole {

struct BackendChoice {
    Backend backend = Backend::Cpu;
    std::string reason; ///< for the user: "requested", "auto: the program was built without CUDA"
    bool mayChange = false; ///< auto: if CUDA fails, continues on the CPU and reports it
};

/// The values that --backend accepts.
const std::vector<std::string>& backendNames();

/// `asked` is one of backendNames(). Requesting an unavailable backend throws ComputeError; "auto"
/// selects CUDA if method, build and machine all support it, else the CPU.
BackendChoice chooseBackend(const std::string& asked, const MotionMethod& method,
                            const CudaStatus& status = cudaStatus());
/// The same for any method, by its name and the backends that it has.
BackendChoice chooseBackend(const std::string& asked, const std::string& method,
                            const std::vector<Backend>& backends,
                            const CudaStatus& status = cudaStatus());

/// Opens the device if the choice is CUDA; returns null otherwise. If the device is unavailable
/// (busy, lost, out of memory), the choice becomes the CPU, with the reason, if it may change;
/// otherwise throws ComputeError.
std::shared_ptr<CudaContext> openDevice(BackendChoice& choice);

} // namespace systole
