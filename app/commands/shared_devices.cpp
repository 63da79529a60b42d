#include "app/commands/shared_devices.h"

#include <utility>

namespace systole {

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

std::mutex& SharedDevices::turnOn(int device) {
    const std::lock_guard lock(mutex_);
    return turns_[device];
}

} // namespace systole
