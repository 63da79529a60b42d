// Which form of a method runs: what the user asked for, or the best that there is, and why.
#pragma once

#include "compute/core/motion_estimator.h"
#include "compute/cuda/context.h"

#include <memory>
#include <string>
#include <vector>

namespace systole {

struct BackendChoice {
    Backend backend = Backend::Cpu;
    std::string reason;     ///< for people: "asked for", "auto: the program was built without CUDA"
    bool mayChange = false; ///< auto: where CUDA fails it goes on on the CPU, and says so
};

/// What --backend accepts.
const std::vector<std::string>& backendNames();

/// `asked` is one of backendNames(). Asking for what isn't there throws ComputeError; "auto" takes
/// CUDA where method, build and machine all have it, else the CPU.
BackendChoice chooseBackend(const std::string& asked, const MotionMethod& method,
                            const CudaStatus& status = cudaStatus());

/// Takes the device into use where the choice is CUDA; null where it isn't. A device that can't be
/// had (busy, lost, out of memory) makes the choice the CPU, with the reason, where it may change;
/// else throws ComputeError.
std::shared_ptr<CudaContext> openDevice(BackendChoice& choice);

} // namespace systole
