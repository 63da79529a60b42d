// Checks of a case that need only its table row and headers, before anything is computed.
#pragma once

#include "app/study/cohort_case.h"
#include "compute/core/sequence.h"

#include <string>

namespace systole {

/// The label map to pass to 'systole strain'; empty: none. Throws the errors of the commands that
/// table row and headers already reveal: UsageError, FileError, ComputeError.
std::string labelsFor(const CohortCase& entry, const Sequence& sequence);

} // namespace systole
