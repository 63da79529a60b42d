// What happens when an estimation on the device fails: less memory, then slabs, then the CPU, each
// step said in a sentence. Knows no device, so that it can be tried without one.
#pragma once

#include "compute/core/frame_result.h"

#include <exception>
#include <functional>
#include <string>

namespace systole {

/// Where and how a pair is estimated.
enum class EstimationPath {
    Device, ///< frames, field and scratch on the device
    Slabs,  ///< on the device, slab after slab from the host
    Cpu
};

class DeviceFallback {
public:
    /// `mayUseCpu`: otherwise what the device can't do is an error.
    explicit DeviceFallback(bool mayUseCpu = true) : mayUseCpu_(mayUseCpu) {}

    /// Of the next estimation.
    EstimationPath path() const { return path_; }
    /// Why it isn't as it was asked for, one sentence; empty: it is.
    const std::string& reason() const { return reason_; }
    /// Other parameters, another sequence: the device is tried again.
    void reset();

    struct Steps {
        /// Estimates one pair on this path; called anew for each path that is tried.
        std::function<FrameResult(EstimationPath)> estimate;
        /// Gives up device memory that can be done without: finished fields, frames.
        std::function<void()> releaseMemory;
    };
    /// A path that failed isn't tried again before reset(). Out of memory: once more after
    /// releaseMemory(), then in slabs, then on the CPU. Any other failure of the device: on the CPU
    /// at once. Where the CPU fails too its failure is thrown, and the path stays as it was: the
    /// device was not to blame. Cancelled passes through.
    FrameResult run(const Steps& steps);

private:
    FrameResult onDevice(const Steps& steps);
    FrameResult inSlabs(const Steps& steps, const std::string& why);
    /// `failure` of the device, thrown on where the CPU may not be used; `why`: its message.
    FrameResult onCpu(const Steps& steps, const std::string& why,
                      const std::exception_ptr& failure);

    bool mayUseCpu_;
    EstimationPath path_ = EstimationPath::Device;
    std::string reason_;
};

} // namespace systole
