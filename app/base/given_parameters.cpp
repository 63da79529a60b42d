#include "app/base/given_parameters.h"

#include "app/base/error.h"
#include "compute/core/error.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace systole {

std::pair<std::string, std::string> assignmentOf(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
        throw UsageError(fmt::format("--set: '{}' isn't ID=VALUE", text));
    return {text.substr(0, equals), text.substr(equals + 1)};
}

ParamSet presetOf(const MotionMethod& method, const std::string& preset) {
    const std::vector<std::string> presets = method.parameters->presets();
    if (std::ranges::find(presets, preset) == presets.end())
        throw UsageError(fmt::format("--preset: the method {} has no preset {}; it has {}",
                                     method.name, preset, fmt::join(presets, ", ")));
    return ParamSet(*method.parameters, preset);
}

void setParameter(ParamSet& parameters, const std::string& id, const std::string& value,
                  const char* option) {
    try {
        parameters.setText(id, value);
    } catch (const ComputeError& error) {
        throw UsageError(fmt::format("{}: {}", option, error.what()));
    }
}

ParamSet givenParameters(ParamSet start, const std::vector<std::string>& given) {
    for (const std::string& each : given) {
        const auto [id, value] = assignmentOf(each);
        setParameter(start, id, value, "--set");
    }
    return start;
}

ParamSet givenParameters(const ParamTable& table, const std::vector<std::string>& given) {
    return givenParameters(ParamSet(table, "default"), given);
}

} // namespace systole
