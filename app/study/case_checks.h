// What words and headers tell of a case before anything is computed.
#pragma once

#include "app/study/cohort_case.h"
#include "compute/core/sequence.h"

#include <string>

namespace systole {

/// The label map as 'systole strain' is told; empty: none. Throws what the commands would throw
/// that is known from words and headers: UsageError, FileError, ComputeError.
std::string labelsFor(const CohortCase& entry, const Sequence& sequence);

} // namespace systole
