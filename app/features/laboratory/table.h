// Laboratory answers as tables for a terminal.
#pragma once

#include "compute/lab/laboratory.h"

#include <string>

namespace systole {

enum class TableRows {
    All,
    Few ///< a selection of about 16 rows per kernel
};

/// Source, a table per kernel with the models' choices, a legend of the columns, and notes.
std::string tableOf(const lab::LabAnswer& answer, TableRows which = TableRows::All);
/// Table of a sweep over block sizes, a line per kernel: errors of the models, their choices and
/// the cost of these, next to the kernel's default block; below, means per task and of all kernels.
/// Throws ComputeError when there are no measurements to compare with.
std::string evaluationOf(const lab::LabAnswer& answer);

} // namespace systole
