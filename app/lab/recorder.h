// Measures everything that the laboratory and its lessons show, once, into one record: what ships
// with the program for machines without that GPU.
#pragma once

#include "compute/lab/laboratory.h"

#include <functional>
#include <string>
#include <vector>

namespace systole {

struct RecordingPlan {
    /// Every block size of every kernel,
    std::vector<int> fullSides{128, 200};
    /// and a few of them.
    std::vector<int> coarseSides{32, 48, 64, 96, 160, 256};
    bool lessons = true; ///< what their experiments ask for besides
    /// Kernels that take long are measured at fewer block sizes, so that it ends in about this.
    double seconds = 130;
};

struct Recording {
    std::vector<lab::LabPoint> points;
    std::vector<std::string> notes; ///< what was left out, and why
};

/// `clock`: seconds, rising. progress: what is being measured and the part done; it may throw
/// Cancelled.
Recording recordKernels(lab::LabSource& source, const RecordingPlan& plan,
                        const std::function<double()>& clock,
                        const std::function<void(const std::string&, double)>& progress = {});

/// Block sizes in steps that suffice for a curve.
std::vector<int> coarseBlockSizes(const lab::LabKernel& kernel);

} // namespace systole
