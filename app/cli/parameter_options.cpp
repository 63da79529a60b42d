#include "app/cli/parameter_options.h"

#include "app/cli/help.h"
#include "compute/core/enum_text.h"
#include "compute/core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace systole {
namespace {

const char* typeText(ParamType type) {
    return enumText(type, {"NUMBER", "WHOLE", "on|off", "NAME"});
}

void describe(CLI::App& app, CLI::Option& option, const ParamRow& row,
              const ParameterSource& source) {
    option.description(fmt::format("{} [{}]", parameterHelp(row), rangeText(row)))
        ->default_str(ParamSet(*source.table, "default").text(row.id))
        ->type_name(typeText(row.type))
        ->group(row.cudaOnly ? cudaOptionsGroup
                             : parameterGroup(source.method, app.get_option_no_throw("--preset")
                                                                 ? source.table->presets()
                                                                 : std::vector<std::string>{}));
}

} // namespace

std::string rangeText(const ParamRow& row) {
    if (row.type == ParamType::Choice)
        return fmt::format("{}", fmt::join(row.choices, ", "));
    if (row.type == ParamType::Switch)
        return "on, off";
    return fmt::format("{} to {}{}{}", row.minimum, row.maximum, row.unit.empty() ? "" : " ",
                       row.unit);
}

std::string parameterHelp(const ParamRow& row) {
    return row.title.empty() ? row.help : row.title + ": " + row.help;
}

void ParameterOptions::addTo(CLI::App& app, const std::vector<ParameterSource>& sources) {
    for (const ParameterSource& source : sources)
        for (const ParamRow& row : source.table->rows())
            if (!typed_.contains(row.id))
                describe(app, *app.add_option("--" + row.id, typed_[row.id]), row, source);
}

void ParameterOptions::showOnly(CLI::App& app, const ParameterSource& source) const {
    const std::string hidden; // the library shows no option of the group without a name
    for (const auto& [id, text] : typed_)
        app.get_option("--" + id)->group(hidden);
    for (const ParamRow& row : source.table->rows())
        describe(app, *app.get_option("--" + row.id), row, source);
}

void ParameterOptions::apply(ParamSet& set) const {
    const auto& rows = set.table().rows();
    for (const auto& [id, text] : typed_) {
        if (text.empty())
            continue;
        if (std::ranges::none_of(rows, [&](const ParamRow& row) { return row.id == id; })) {
            std::vector<std::string> known;
            for (const ParamRow& row : rows)
                known.push_back(row.id);
            throw ComputeError(fmt::format("{}: the chosen method has no such parameter; it has {}",
                                           id, fmt::join(known, ", ")));
        }
        set.setText(id, text);
    }
}

bool ParameterOptions::isGiven(const std::string& id) const {
    const auto found = typed_.find(id);
    return found != typed_.end() && !found->second.empty();
}

std::string describedParameter(const ParamRow& row) {
    const std::string help = parameterHelp(row);
    return row.type == ParamType::Switch ? help : fmt::format("{} [{}]", help, rangeText(row));
}

} // namespace systole
