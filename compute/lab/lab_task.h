// A task of the laboratory on the device: what prepares its data and launches its variants. The
// list of them is in lab_tasks.cuh, one line each.
#pragma once

#include "compute/cuda/context.h"

#include <cstddef>
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

} // namespace systole::lab
