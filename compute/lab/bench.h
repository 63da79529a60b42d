// Runs the laboratory's kernels on a device and times them.
#pragma once

#include "compute/core/exec.h"
#include "compute/cuda/context.h"
#include "compute/lab/kernels.h"
#include "compute/lab/point.h"

#include <memory>

namespace systole::lab {

struct LabTiming {
    int warmUps = 2;
    int repeats = 9;            ///< medians of so many,
    double budgetSeconds = 0.2; ///< or fewer, at least 3, when they take longer than this together
};

/// Holds the data of the task measured last, so that a sweep over blocks prepares once.
class LabBench {
public:
    explicit LabBench(CudaContext& cuda); ///< outlives this
    ~LabBench();
    LabBench(const LabBench&) = delete;
    LabBench& operator=(const LabBench&) = delete;

    /// Throws ComputeError for a block size that the kernel can't take or that doesn't fit the
    /// device, OutOfMemory, and ComputeError in a build without CUDA.
    LabPoint measure(const LabKernel& kernel, int side, int threads, int ballastBytes = 0,
                     const LabTiming& timing = {});
    /// Median seconds of a call with its data on the host: copies up, kernel, copies down.
    double measureWithTransfers(const LabKernel& kernel, int side, int threads, bool pinned,
                                const LabTiming& timing = {});
    /// What the kernel wrote at the last measure(), brought to the host: variants and block sizes
    /// are compared by it.
    std::vector<float> output() const;
    /// What the CPU implementation makes of the data of the last measure(), in the order of
    /// output().
    std::vector<float> onHost(const ExecContext& ctx) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole::lab
