// Parameters of a method by --set.
#pragma once

#include "compute/core/params.h"

#include <string>
#include <utility>
#include <vector>

namespace systole {

/// ID=VALUE as its two parts. Throws UsageError.
std::pair<std::string, std::string> assignmentOf(const std::string& text);

/// The preset default with what was given, each ID=VALUE. Throws UsageError, ComputeError.
ParamSet givenParameters(const ParamTable& table, const std::vector<std::string>& given);

} // namespace systole
