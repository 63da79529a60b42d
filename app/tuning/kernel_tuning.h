// Search for one kernel's best block size, one measurement at a time: the default block, the
// model's choice, then neighbors.
#pragma once

#include "compute/lab/autotune.h"
#include "compute/lab/bench.h"

#include <functional>
#include <optional>
#include <string>

namespace systole {

/// Measures a kernel at a side and block size. Throws ComputeError if the block can't be launched.
using BlockTimer =
    std::function<lab::LabPoint(const lab::LabKernel& kernel, int side, int threads)>;

/// Result of the search.
struct TunedKernel {
    std::string kernel;
    int side = 0;
    int standard = 0; ///< the kernel's default block size
    double standardSeconds = 0;
    int modelChoice = 0;     ///< block size chosen by the model; 0: none
    double modelSeconds = 0; ///< measured time at modelChoice
    lab::TunedBlock best;    ///< threads 0: none could be launched
    std::string failure;     ///< reason why nothing was found; empty: successful
};

class KernelTuning {
public:
    /// A missing `machine` leaves out the model's choice.
    KernelTuning(const lab::LabKernel& kernel, int side, std::optional<model::GpuMachine> machine);

    /// One measurement. Throws OutOfMemory, after which it can be retried or abandoned.
    void step(const BlockTimer& timer);
    /// The search ended without a result.
    void giveUp(const std::string& why);
    bool done() const { return givenUp_ || (started_ && !search_.next()); }
    /// Result so far.
    const TunedKernel& result() const { return result_; }

private:
    void measureStandard(const BlockTimer& timer);
    double timed(int threads, const BlockTimer& timer, lab::LabPoint* point);

    lab::LabKernel kernel_;
    std::optional<model::GpuMachine> machine_;
    lab::BlockSearch search_;
    TunedKernel result_;
    bool started_ = false, givenUp_ = false;
};

/// The block size that our model would choose (model::chosenBlock) among those of the kernel, based
/// on the shapes and registers of the launches at the default block, `standard`. Empty: the kernel
/// declares no cost.
std::optional<int> modelChoice(const lab::LabKernel& kernel, const lab::LabPoint& standard,
                               const model::GpuMachine& machine);

} // namespace systole
