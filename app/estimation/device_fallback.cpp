#include "app/estimation/device_fallback.h"

#include "compute/core/error.h"

namespace systole {

void DeviceFallback::reset() {
    form_ = EstimationForm::Device;
    reason_.clear();
}

FrameResult DeviceFallback::run(const Steps& steps) {
    switch (form_) {
    case EstimationForm::Device:
        return onDevice(steps);
    case EstimationForm::Slabs:
        return inSlabs(steps, reason_);
    case EstimationForm::Cpu:
        break;
    }
    return steps.estimate(EstimationForm::Cpu);
}

FrameResult DeviceFallback::onDevice(const Steps& steps) {
    std::string shortage;
    try {
        return steps.estimate(EstimationForm::Device);
    } catch (const Cancelled&) {
        throw;
    } catch (const OutOfMemory& error) {
        shortage = error.what();
    } catch (const ComputeError& error) {
        return onCpu(steps, error.what());
    }
    try {
        steps.releaseMemory();
        FrameResult result = steps.estimate(EstimationForm::Device);
        reason_ = "fewer frames and fields are kept on the device: " + shortage;
        return result;
    } catch (const Cancelled&) {
        throw;
    } catch (const OutOfMemory& error) {
        return inSlabs(steps, std::string("in slabs: ") + error.what());
    } catch (const ComputeError& error) {
        return onCpu(steps, error.what());
    }
}

FrameResult DeviceFallback::inSlabs(const Steps& steps, const std::string& why) {
    try {
        FrameResult result = steps.estimate(EstimationForm::Slabs);
        form_ = EstimationForm::Slabs;
        reason_ = why;
        return result;
    } catch (const Cancelled&) {
        throw;
    } catch (const ComputeError& error) {
        return onCpu(steps, error.what());
    }
}

FrameResult DeviceFallback::onCpu(const Steps& steps, const std::string& why) {
    if (!mayUseCpu_)
        throw; // what the caller is handling
    FrameResult result = steps.estimate(EstimationForm::Cpu);
    form_ = EstimationForm::Cpu;
    reason_ = "on the CPU instead: " + why;
    return result;
}

} // namespace systole
