#include "app/commands/variant_option.h"

#include "app/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace systole {
namespace {

std::string stagesOf(const ParamTable& table) {
    std::vector<std::string> stages;
    for (const ParamRow& row : table.rows())
        if (row.id.starts_with(variantPrefix))
            stages.push_back(fmt::format("{} ({})",
                                         row.id.substr(std::string_view(variantPrefix).size()),
                                         fmt::join(row.choices, ", ")));
    return stages.empty() ? "none" : fmt::format("{}", fmt::join(stages, ", "));
}

} // namespace

std::string setVariant(ParamSet& parameters, const std::string& stageAndName) {
    const ParamTable& table = parameters.table();
    const std::size_t at = stageAndName.find('=');
    const std::string id = fmt::format("{}{}", variantPrefix, stageAndName.substr(0, at));
    const auto& rows = table.rows();
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const ParamRow& r) { return r.id == id; });
    if (at == std::string::npos || row == rows.end())
        throw UsageError(fmt::format("variant {}: expected STAGE=NAME; there are {}", stageAndName,
                                     stagesOf(table)));
    const std::string name = stageAndName.substr(at + 1);
    if (std::find(row->choices.begin(), row->choices.end(), name) == row->choices.end())
        throw UsageError(fmt::format("variant {}: no variant '{}' of {}; there are {}",
                                     stageAndName, name, stageAndName.substr(0, at),
                                     fmt::join(row->choices, ", ")));
    parameters.set(id, name);
    return id;
}

} // namespace systole
