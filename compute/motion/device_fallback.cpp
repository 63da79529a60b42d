#include "compute/motion/device_fallback.h"

#include "compute/core/error.h"

namespace systole {

FrameResult DeviceFallback::run(const Steps& steps) {
    enum Attempt { Whole, WithLessMemory, InSlabs, OnCpu };
    std::string shortage, why;
    std::exception_ptr failure;
    for (int attempt = path_ == EstimationPath::Device  ? Whole
                       : path_ == EstimationPath::Slabs ? InSlabs
                                                        : OnCpu;
         attempt < OnCpu; ++attempt)
        try {
            if (attempt == WithLessMemory)
                steps.releaseMemory();
            const EstimationPath path =
                attempt == InSlabs ? EstimationPath::Slabs : EstimationPath::Device;
            FrameResult result = steps.estimate(path);
            if (attempt == WithLessMemory)
                reason_ = "fewer frames and fields are kept on the device: " + shortage;
            else if (path != path_)
                reason_ = "in slabs: " + shortage;
            path_ = path;
            return result;
        } catch (const Cancelled&) {
            throw;
        } catch (const ComputeError& error) {
            why = error.what();
            failure = std::current_exception();
            if (!dynamic_cast<const OutOfMemory*>(&error))
                break;
            shortage = why;
        }
    if (failure && !mayUseCpu_)
        std::rethrow_exception(failure);
    FrameResult result = steps.estimate(EstimationPath::Cpu);
    if (failure) {
        path_ = EstimationPath::Cpu;
        reason_ = "on the CPU instead: " + why;
    }
    return result;
}

} // namespace systole
