#include "app/given_parameters.h"

#include "app/error.h"

#include <fmt/format.h>

namespace systole {

ParamSet givenParameters(const ParamTable& table, const std::vector<std::string>& given) {
    ParamSet parameters(table, "default");
    for (const std::string& each : given) {
        const std::size_t equals = each.find('=');
        if (equals == std::string::npos)
            throw UsageError(fmt::format("--set: '{}' isn't ID=VALUE", each));
        parameters.setText(each.substr(0, equals), each.substr(equals + 1));
    }
    return parameters;
}

} // namespace systole
