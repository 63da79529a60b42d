// GPU contexts of commands that run at the same time in one process.
#pragma once

#include "app/estimation/backend.h"
#include "compute/cuda/context.h"

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
    /// then it is kept for the next one, with the memory of its pools. Null: the choice is the CPU.
    /// A choice that might change may not any more. Throws ComputeError.
    std::shared_ptr<CudaContext> open(BackendChoice& choice, int device);
    /// Acquired while a motion is estimated there: more at the same time would only wait for each
    /// other.
    std::counting_semaphore<>& turnOn(int device);

private:
    std::mutex mutex_;
    std::map<int, std::vector<std::shared_ptr<CudaContext>>> idle_;
    std::map<int, std::counting_semaphore<>> turns_;
};

/// 'systole motion' that shares the process: a device is that one, and if it fails the command
/// does. `devices` outlives it.
std::unique_ptr<Command> makeSharedMotionCommand(SharedDevices& devices, int device);

} // namespace systole
