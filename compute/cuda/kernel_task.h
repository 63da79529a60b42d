// A task of the laboratory on the device: what prepares its data and launches its variants. A room
// makes the tasks of its own kernels; the list of all is in compute/lab/kernels.cuh.
#pragma once

#include "compute/core/geometry.h"
#include "compute/cuda/context.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace systole {
class LaunchLog;
}

namespace systole::lab {

class LabTask {
public:
    virtual ~LabTask() = default;
    /// Enqueues one run of the variant. Block sizes come from the log (LaunchLog::threadsFor).
    /// Throws ComputeError for a block or a side that the variant can't work with.
    virtual void launch(const std::string& variant, LaunchLog& log) = 0;
    /// Back to the state before the first run, where a run changes its input. Enqueues only.
    virtual void reset(CudaContext&) {}
    /// Brings the result of the last run to output(), where the variant keeps it in another order.
    /// Enqueues only.
    virtual void gather(CudaContext&) {}
    /// Device memory of the result. The bench clears it before it measures a variant, so that what
    /// a launch leaves out isn't there from the one before.
    virtual float* output() = 0;
    virtual std::size_t outputFloats() const = 0;
    /// What a call with its data on the host would move.
    virtual std::size_t uploadBytes() const = 0;
    virtual std::size_t downloadBytes() const = 0;
};

/// Prepares a task's data on the device for a side. Throws OutOfMemory where that doesn't fit.
using LabTaskMaker = std::unique_ptr<LabTask> (*)(CudaContext& cuda, int side);

/// The cube, or what stands for it, that a task works on at this side. Landmark tasks have their
/// own measure of size: see the task.
inline Size3 labSize(int side) { return {side, side, side}; }

} // namespace systole::lab
