// The record of a finished step: what it read and wrote, by hash, and how it was made. While it
// holds the step isn't done again.
#pragma once

#include "app/base/recorded_hashes.h"
#include "app/study/cohort_plan.h"

#include <cstdint>
#include <string>

namespace systole {

/// Costs of a step; they don't decide whether its record holds.
struct StepCost {
    double seconds = 0;       ///< duration of the work, without waitedSeconds
    double waitedSeconds = 0; ///< time spent waiting for memory of a device and turns on it
    std::uint64_t peakBytes = 0;
    std::string host, device; ///< "cpu", or the name of the GPU
};

/// Paths of the record, the log, the failure and the lock of a step, in the cohort's folder.
std::string recordPath(const std::string& output, const std::string& id, const std::string& step);
std::vector<std::string> recordPaths(const std::string& output, const std::string& id,
                                     const std::vector<std::string>& steps);
std::string logPath(const std::string& output, const std::string& id, const std::string& step);
std::string failurePath(const std::string& output, const std::string& id, const std::string& step);
std::string lockPath(const std::string& output, const std::string& id, const std::string& step);
/// The engine's mark of a finished step.
std::string donePath(const std::string& output, const std::string& id, const std::string& step);

/// True if this program with these arguments has made the outputs that are there from the inputs
/// that are there, by their hashes. One whose size, dates and inode are those of the record isn't
/// read again. Temporary files may be gone, while the records of all commands that read them hold.
bool recordHolds(const CohortPlan& plan, const std::string& output, const PlannedCase& planned,
                 const CohortStep& step);

/// Files that are in the output of a step, but don't stay in a case that is done; relative to
/// `output`.
std::vector<std::string> temporaryFiles(const std::string& output, const CohortStep& step);

/// `inputs`: their state before the step began, with hashes.
void writeStepRecord(const CohortPlan& plan, const std::string& output, const std::string& id,
                     const CohortStep& step, const std::vector<FileState>& inputs,
                     const StepCost& cost);

/// Costs from the record of a step; empty without a record.
StepCost costOf(const std::string& output, const std::string& id, const std::string& step);

} // namespace systole
