// GPU contexts of commands that run at the same time in one process.
#pragma once

#include "app/task/backend.h"
#include "compute/core/buffer.h"
#include "compute/cuda/context.h"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <semaphore>
#include <vector>

namespace systole {

class Command;

class SharedDevices {
public:
    /// A context on the device that nobody else has as long as the pointer or a copy of it lives;
    /// then it is kept for the next one. With the memory of its pools, as long as idle contexts
    /// keep little of the device's together: leases don't count it. Null: the choice is the CPU.
    /// A choice that might change may not any more. Throws ComputeError.
    std::shared_ptr<CudaContext> open(BackendChoice& choice, int device);
    /// Acquired while a motion is estimated there: more at the same time would only wait for each
    /// other.
    std::counting_semaphore<>& turnOn(int device);

private:
    void giveBack(std::shared_ptr<CudaContext> context, int device);

    std::mutex mutex_;
    std::map<int, std::vector<std::shared_ptr<CudaContext>>> idle_;
    std::map<int, std::counting_semaphore<>> turns_;
};

/// Trims the pool if it and the others would keep more than so many bytes for reuse.
void keepAtMost(std::size_t bytes, BufferPool& pool, const std::vector<BufferPool*>& others);

/// 'systole motion' that shares the process: a device is that one, and if it fails the command
/// does. `devices` outlives it.
std::unique_ptr<Command> makeSharedMotionCommand(SharedDevices& devices, int device);

} // namespace systole
