// Fallback when an estimation on the device fails: less memory, then slabs, then the CPU, each step
// reported in one sentence. Independent of the device, so that it can be tested without one.
#pragma once

#include "compute/core/frame_result.h"

#include <exception>
#include <functional>
#include <string>

namespace systole {

/// Where and how a pair is estimated.
enum class EstimationPath {
    Device, ///< frames, field and scratch on the device
    Slabs,  ///< slab after slab goes from the host through the device
    Cpu
};

class DeviceFallback {
public:
    /// A failure of the device is an error unless `mayUseCpu`.
    explicit DeviceFallback(bool mayUseCpu = true) : mayUseCpu_(mayUseCpu) {}

    /// The path of the next estimation.
    EstimationPath path() const { return path_; }
    /// Why the path isn't the requested one, in one sentence; empty if it is.
    const std::string& reason() const { return reason_; }

    struct Steps {
        /// Estimates the pair on a path; called for each path that is tried.
        std::function<FrameResult(EstimationPath)> estimate;
        /// Releases dispensable device memory: finished fields, frames.
        std::function<void()> releaseMemory;
    };
    /// A path that failed isn't tried again. Out of memory: retries after
    /// releaseMemory(), then in slabs, then on the CPU. Any other failure of the device: continues
    /// on the CPU. If the CPU fails too, its error is thrown and the path is unchanged, since the
    /// device isn't the cause. Cancelled is passed on.
    FrameResult run(const Steps& steps);

private:
    bool mayUseCpu_;
    EstimationPath path_ = EstimationPath::Device;
    std::string reason_;
};

} // namespace systole
