// Text of an option that holds several values.
#pragma once

#include "compute/core/params.h"

#include <string>
#include <string_view>
#include <vector>

namespace systole {

/// Whole numbers between separators, each within the range; empty: the text isn't that.
std::vector<int> wholeNumbersIn(std::string_view text, char separator, int least, int most);

/// Sets a parameter by "NAME=VALUE" and returns its name. Throws UsageError that names the option.
std::string assignParameter(ParamSet& parameters, const std::string& text, const char* option);

} // namespace systole
