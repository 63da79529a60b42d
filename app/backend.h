// Which form of a method runs: what the user asked for, or the best that there is, and why.
#pragma once

#include "compute/motion/estimator.h"

#include <string>
#include <vector>

namespace systole {

struct BackendChoice {
    Backend backend = Backend::Cpu;
    std::string reason; ///< for people: "asked for", "auto: the program was built without CUDA"
};

/// What --backend accepts.
const std::vector<std::string>& backendNames();

/// `asked` is one of backendNames(). Asking for what isn't there throws UsageError; "auto" takes
/// CUDA where method, build and machine all have it, else the CPU.
BackendChoice chooseBackend(const std::string& asked, const MotionMethod& method);

} // namespace systole
