// Parameters of a method by --preset and --set.
#pragma once

#include "compute/core/params.h"

#include <string>
#include <utility>
#include <vector>

namespace systole {

struct MotionMethod;

/// ID=VALUE as its two parts. Throws UsageError.
std::pair<std::string, std::string> assignmentOf(const std::string& text);

/// The values of a preset of the method. Throws UsageError, which says what presets it has.
ParamSet presetOf(const MotionMethod& method, const std::string& preset);

/// Throws UsageError that names the option for an id or a value that isn't there.
void setParameter(ParamSet& parameters, const std::string& id, const std::string& value,
                  const char* option);

/// `start` with the `given` assignments ID=VALUE applied. Throws UsageError.
ParamSet givenParameters(ParamSet start, const std::vector<std::string>& given);
/// Overload that starts from the table's default values.
ParamSet givenParameters(const ParamTable& table, const std::vector<std::string>& given);

} // namespace systole
