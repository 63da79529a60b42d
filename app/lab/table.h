// Answers of the laboratory as tables for a terminal.
#pragma once

#include "compute/lab/laboratory.h"

#include <string>

namespace systole {

enum class TableRows {
    All,
    Few ///< of a long sweep some sixteen a kernel: those that say most
};

/// Source, a table for each kernel with what its models choose, what its columns mean, and notes.
std::string tableOf(const lab::LabAnswer& answer, TableRows which = TableRows::All);
/// A line for each kernel of a sweep over block sizes: errors of the models, what they choose and
/// what that costs, beside the kernel's own block; below, the means of each task and of all. Throws
/// ComputeError where nothing was measured to hold them against.
std::string evaluationOf(const lab::LabAnswer& answer);

} // namespace systole
