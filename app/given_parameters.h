// Parameters of a method by --set.
#pragma once

#include "compute/core/params.h"

#include <string>
#include <vector>

namespace systole {

/// The preset default with what was given, each ID=VALUE. Throws UsageError, ComputeError.
ParamSet givenParameters(const ParamTable& table, const std::vector<std::string>& given);

} // namespace systole
