// Answers of the laboratory as tables for a terminal.
#pragma once

#include "compute/lab/laboratory.h"

#include <string>

namespace systole {

/// Source, a table for each kernel with what its models choose, and notes.
std::string tableOf(const lab::LabAnswer& answer);
/// A line for each kernel of a sweep over block sizes: errors of the models, what they choose and
/// what that costs; below, the means of each task and of all.
std::string evaluationOf(const lab::LabAnswer& answer);

} // namespace systole
