// The search for one kernel's best block size, a measurement at a time: its standard block, the one
// that the performance model chooses, then neighbours.
#pragma once

#include "compute/lab/autotune.h"
#include "compute/lab/bench.h"

#include <functional>
#include <optional>
#include <string>

namespace systole {

/// Measures a kernel at a side and a block size. Throws ComputeError for a block that can't be run.
using BlockTimer =
    std::function<lab::LabPoint(const lab::LabKernel& kernel, int side, int threads)>;

/// What the search came to.
struct TunedKernel {
    std::string kernel;
    int side = 0;
    int standard = 0; ///< threads of the kernel's own block
    double standardSeconds = 0;
    int modelChoice = 0;     ///< threads that the model takes for best; 0: it has no say
    double modelSeconds = 0; ///< measured there
    model::TunedBlock best;  ///< threads 0: none could be run
    std::string failure;     ///< why nothing was found, one sentence; empty: something was
};

class KernelTuning {
public:
    /// Without a machine the model has no say.
    KernelTuning(const lab::LabKernel& kernel, int side, std::optional<model::GpuMachine> machine);

    /// One measurement. Throws OutOfMemory, after which it can be tried again or given up.
    void step(const BlockTimer& timer);
    /// It is over, and nothing was found.
    void giveUp(const std::string& why);
    bool done() const { return givenUp_ || (started_ && !search_.next()); }
    /// So far.
    const TunedKernel& result() const { return result_; }

private:
    void measureStandard(const BlockTimer& timer);
    double timed(int threads, const BlockTimer& timer, lab::LabPoint* point);

    lab::LabKernel kernel_;
    std::optional<model::GpuMachine> machine_;
    model::BlockSearch search_;
    TunedKernel result_;
    bool started_ = false, givenUp_ = false;
};

/// The block size that our model would take (model::chosenBlock), of those that the kernel takes.
/// Follows from the shapes and registers that `standard` was launched
/// with. Nothing: the kernel declares no cost.
std::optional<int> modelChoice(const lab::LabKernel& kernel, const lab::LabPoint& standard,
                               const model::GpuMachine& machine);

} // namespace systole
