#include "compute/motion/device_fallback.h"

#include "compute/core/error.h"

namespace systole {

void DeviceFallback::reset() {
    path_ = EstimationPath::Device;
    reason_.clear();
}

FrameResult DeviceFallback::run(const Steps& steps) {
    switch (path_) {
    case EstimationPath::Device:
        return onDevice(steps);
    case EstimationPath::Slabs:
        return inSlabs(steps, reason_);
    case EstimationPath::Cpu:
        break;
    }
    return steps.estimate(EstimationPath::Cpu);
}

FrameResult DeviceFallback::onDevice(const Steps& steps) {
    std::string shortage;
    try {
        return steps.estimate(EstimationPath::Device);
    } catch (const Cancelled&) {
        throw;
    } catch (const OutOfMemory& error) {
        shortage = error.what();
    } catch (const ComputeError& error) {
        return onCpu(steps, error.what(), std::current_exception());
    }
    try {
        steps.releaseMemory();
        FrameResult result = steps.estimate(EstimationPath::Device);
        reason_ = "fewer frames and fields are kept on the device: " + shortage;
        return result;
    } catch (const Cancelled&) {
        throw;
    } catch (const OutOfMemory& error) {
        return inSlabs(steps, std::string("in slabs: ") + error.what());
    } catch (const ComputeError& error) {
        return onCpu(steps, error.what(), std::current_exception());
    }
}

FrameResult DeviceFallback::inSlabs(const Steps& steps, const std::string& why) {
    try {
        FrameResult result = steps.estimate(EstimationPath::Slabs);
        path_ = EstimationPath::Slabs;
        reason_ = why;
        return result;
    } catch (const Cancelled&) {
        throw;
    } catch (const ComputeError& error) {
        return onCpu(steps, error.what(), std::current_exception());
    }
}

FrameResult DeviceFallback::onCpu(const Steps& steps, const std::string& why,
                                  const std::exception_ptr& failure) {
    if (!mayUseCpu_)
        std::rethrow_exception(failure);
    FrameResult result = steps.estimate(EstimationPath::Cpu);
    path_ = EstimationPath::Cpu;
    reason_ = "on the CPU instead: " + why;
    return result;
}

} // namespace systole
