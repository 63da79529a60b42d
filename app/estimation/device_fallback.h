// What happens when an estimation on the device fails: less memory, then slabs, then the CPU, each
// step said in a sentence. Knows no device, so that it can be tried without one.
#pragma once

#include "compute/core/frame_result.h"

#include <functional>
#include <string>

namespace systole {

/// How a pair is estimated.
enum class EstimationForm {
    Device, ///< frames, field and scratch on the device
    Slabs,  ///< on the device, slab after slab from the host
    Cpu
};

class DeviceFallback {
public:
    /// `mayUseCpu`: otherwise what the device can't do is an error.
    explicit DeviceFallback(bool mayUseCpu = true) : mayUseCpu_(mayUseCpu) {}

    /// The form of the next estimation.
    EstimationForm form() const { return form_; }
    /// Why it isn't as it was asked for, one sentence; empty: it is.
    const std::string& reason() const { return reason_; }
    /// Other parameters, another sequence: the device is tried again.
    void reset();

    struct Steps {
        /// Estimates one pair in this form; called anew for each form that is tried.
        std::function<FrameResult(EstimationForm)> estimate;
        /// Gives up device memory that can be done without: finished fields, frames.
        std::function<void()> releaseMemory;
    };
    /// A form that failed isn't tried again before reset(). Out of memory: once more after
    /// releaseMemory(), then in slabs, then on the CPU. Any other failure of the device: on the CPU
    /// at once. Where the CPU fails too its failure is thrown, and the form stays as it was: the
    /// device was not to blame. Cancelled passes through.
    FrameResult run(const Steps& steps);

private:
    FrameResult onDevice(const Steps& steps);
    FrameResult inSlabs(const Steps& steps, const std::string& why);
    /// Within a handler of the failure that it is the answer to.
    FrameResult onCpu(const Steps& steps, const std::string& why);

    bool mayUseCpu_;
    EstimationForm form_ = EstimationForm::Device;
    std::string reason_;
};

} // namespace systole
