#include "app/cli/shared_devices.h"

#include "compute/cuda/waiting.h"

#include <utility>

namespace systole {
namespace {

/// A single estimation of small frames does not fill the device and idles between launches.
constexpr int estimationsAtATime = 6;

/// Idle contexts keep at most 1/keptPart of a device's memory: half of what DeviceLease doesn't
/// lend.
constexpr std::size_t keptPart = 20;

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
    if (!context) {
        context = openDevice(choice);
        if constexpr (cudaIsBuilt) // several wait, and steps without a device need the cores
            if (context)
                sleepWhileWaiting(*context);
    }
    return {context.get(), [this, context, device](CudaContext*) { giveBack(context, device); }};
}

void SharedDevices::giveBack(std::shared_ptr<CudaContext> context, int device) {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<CudaContext>>& idle = idle_[device];
    std::vector<BufferPool*> others;
    for (const std::shared_ptr<CudaContext>& each : idle)
        others.push_back(&each->devicePool());
    keepAtMost(context->device().memoryBytes / keptPart, context->devicePool(), others);
    idle.push_back(std::move(context));
}

void keepAtMost(std::size_t bytes, BufferPool& pool, const std::vector<BufferPool*>& others) {
    std::size_t kept = pool.usage().idleBytes;
    for (const BufferPool* other : others)
        kept += other->usage().idleBytes;
    if (kept > bytes)
        pool.trim();
}

std::counting_semaphore<>& SharedDevices::turnOn(int device) {
    const std::lock_guard lock(mutex_);
    return turns_.try_emplace(device, estimationsAtATime).first->second;
}

} // namespace systole
