#include "app/commands/shared_devices.h"

#include <utility>

namespace systole {
namespace {

/// Of small frames one doesn't fill a device, and waits for the host between two.
constexpr int estimationsAtATime = 4;

} // namespace

std::shared_ptr<CudaContext> SharedDevices::open(BackendChoice& choice, int device) {
    choice.mayChange = false;
    if (choice.backend != Backend::Cuda)
        return nullptr;
    choice.device = device;
    std::shared_ptr<CudaContext> context;
    {
        const std::lock_guard lock(mutex_);
        if (auto& idle = idle_[device]; !idle.empty()) {
            context = std::move(idle.back());
            idle.pop_back();
        }
    }
    if (!context)
        context = openDevice(choice);
    return {context.get(), [this, context, device](CudaContext*) {
                const std::lock_guard lock(mutex_);
                idle_[device].push_back(context);
            }};
}

std::counting_semaphore<>& SharedDevices::turnOn(int device) {
    const std::lock_guard lock(mutex_);
    return turns_.try_emplace(device, estimationsAtATime).first->second;
}

} // namespace systole
