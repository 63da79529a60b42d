#include "app/given_parameters.h"

#include "app/error.h"

#include <fmt/format.h>

namespace systole {

std::pair<std::string, std::string> assignmentOf(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
        throw UsageError(fmt::format("--set: '{}' isn't ID=VALUE", text));
    return {text.substr(0, equals), text.substr(equals + 1)};
}

ParamSet givenParameters(const ParamTable& table, const std::vector<std::string>& given) {
    ParamSet parameters(table, "default");
    for (const std::string& each : given) {
        const auto [id, value] = assignmentOf(each);
        parameters.setText(id, value);
    }
    return parameters;
}

} // namespace systole
