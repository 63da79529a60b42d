// Measures everything that the laboratory and its lessons show into one record, which ships with
// the program for machines without that GPU.
#pragma once

#include "compute/lab/laboratory.h"

#include <functional>
#include <string>
#include <vector>

namespace systole {

struct RecordingPlan {
    /// Sides with every block size of every kernel.
    std::vector<int> fullSides{128, 200};
    /// Sides with a few block sizes per kernel.
    std::vector<int> coarseSides{32, 48, 64, 96, 160, 256};
    bool lessons = true; ///< also record the lessons' experiments
    /// Only these kernels, by name; empty: all.
    std::vector<std::string> kernels{};
    /// Time budget: slow kernels are measured at fewer block sizes to keep it.
    double seconds = 130;
};

struct Recording {
    std::vector<lab::LabPoint> points;
    std::vector<std::string> notes; ///< omitted measurements, with the reason
};

/// `clock`: monotonic seconds. progress: what is being measured and the fraction done; it may throw
/// Cancelled.
Recording recordKernels(lab::LabSource& source, const RecordingPlan& plan,
                        const std::function<double()>& clock,
                        const std::function<void(const std::string&, double)>& progress = {});

/// Puts points of `kernels` into a record in the place of those that it has of them; empty: of all.
void replacePoints(lab::GpuRecord& record, const std::vector<std::string>& kernels,
                   std::vector<lab::LabPoint> points);

/// A subset of the block sizes that is sufficient for a curve.
std::vector<int> coarseBlockSizes(const lab::LabKernel& kernel);

} // namespace systole
