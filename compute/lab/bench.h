// Runs the laboratory's kernels on a device and times them.
#pragma once

#include "compute/core/exec.h"
#include "compute/cuda/context.h"
#include "compute/lab/kernels/kernels.h"
#include "compute/lab/point.h"

#include <memory>

namespace systole::lab {

struct LabTiming {
    int warmUps = 2;
    int repeats = 9;            ///< number of runs for the median,
    double budgetSeconds = 0.2; ///< or fewer, at least 3, if they take longer than this in total
};

/// Keeps the data of the last measured task, so that a sweep over block sizes prepares it once.
class LabBench {
public:
    explicit LabBench(CudaContext& cuda); ///< must outlive the bench
    ~LabBench();
    LabBench(const LabBench&) = delete;
    LabBench& operator=(const LabBench&) = delete;

    /// Throws ComputeError for a block size that the kernel or the device doesn't support,
    /// OutOfMemory, and ComputeError in a build without CUDA.
    LabPoint measure(const LabKernel& kernel, int side, int threads, int paddingBytes = 0,
                     const LabTiming& timing = {});
    /// Median seconds of a call with its data on the host: copies up, kernel, copies down.
    double measureWithTransfers(const LabKernel& kernel, int side, int threads, bool pinned,
                                const LabTiming& timing = {});
    /// The kernel's output in the last measure(), copied to the host to compare variants and block
    /// sizes.
    std::vector<float> output() const;
    /// The CPU implementation's result for the data of the last measure(), in the order of
    /// output().
    std::vector<float> onHost(const ExecContext& ctx) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole::lab
