// The parameters of methods as options of a command: --alpha and so on, from their tables.
#pragma once

#include "compute/core/params.h"

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace systole {

/// Title of the options that have no effect without CUDA.
inline constexpr const char* cudaOptionsGroup =
    "Only with CUDA (--backend cuda, or auto where it is available)";

/// A method with parameters, by the name in --method.
struct ParameterSource {
    std::string method;
    const ParamTable* table = nullptr;
};

/// A parameter's title and description.
std::string parameterHelp(const ParamRow& row);
/// The values that a parameter takes, with their unit: "0 to 3 mm", "on, off", "a, b".
std::string rangeText(const ParamRow& row);

class ParameterOptions {
public:
    /// A parameter that several methods share is one option, described as the first one has it.
    void addTo(CLI::App& app, const std::vector<ParameterSource>& sources);
    /// Removes other parameters than the method's from the help, which describes these as it does.
    void showOnly(CLI::App& app, const ParameterSource& source) const;
    /// Sets what was given. Throws ComputeError, also for a parameter that the table doesn't have.
    void apply(ParamSet& set) const;
    bool isGiven(const std::string& id) const;

private:
    std::map<std::string, std::string> typed_; ///< empty: not given
};

/// parameterHelp(), followed by the range in brackets unless it is a switch.
std::string describedParameter(const ParamRow& row);

} // namespace systole
