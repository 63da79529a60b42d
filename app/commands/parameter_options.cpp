#include "app/commands/parameter_options.h"

#include "compute/core/error.h"

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace systole {
namespace {

const char* typeText(ParamType type) {
    switch (type) {
    case ParamType::Real:
        return "NUMBER";
    case ParamType::Integer:
        return "WHOLE";
    case ParamType::Switch:
        return "on|off";
    case ParamType::Choice:
        break;
    }
    return "NAME";
}

} // namespace

std::vector<std::string> presetNames(const std::vector<ParameterSource>& sources) {
    std::vector<std::string> names;
    for (const ParameterSource& source : sources)
        for (const std::string& preset : source.table->presets())
            if (std::find(names.begin(), names.end(), preset) == names.end())
                names.push_back(preset);
    return names;
}

std::string parameterHelp(const ParamRow& row, const ParamSet& defaults) {
    std::string range;
    if (row.type == ParamType::Choice)
        range = fmt::format("{}", fmt::join(row.choices, ", "));
    else if (row.type != ParamType::Switch)
        range = fmt::format("{} to {}{}{}", row.minimum, row.maximum, row.unit.empty() ? "" : " ",
                            row.unit);
    const std::string title = row.title.empty() ? "" : row.title + ": ";
    return fmt::format("{}{} [{}{}{}]", title, row.help, range, range.empty() ? "" : "; ",
                       "preset default: " + defaults.text(row.id));
}

void ParameterOptions::addTo(CLI::App& app, const std::vector<ParameterSource>& sources) {
    std::map<std::string, std::vector<const ParameterSource*>> sourcesOf;
    for (const ParameterSource& source : sources)
        for (const ParamRow& row : source.table->rows())
            sourcesOf[row.id].push_back(&source);
    for (const ParameterSource& source : sources)
        for (const ParamRow& row : source.table->rows()) {
            const std::vector<const ParameterSource*>& sharing = sourcesOf.at(row.id);
            if (sharing.front() != &source)
                continue;
            std::string help;
            for (const ParameterSource* one : sharing) {
                const ParamSet defaults(*one->table, "default");
                help += (sharing.size() > 1 ? (help.empty() ? "" : " ") + one->method + ": " : "") +
                        parameterHelp(one->table->row(row.id), defaults);
            }
            app.add_option("--" + row.id, typed_[row.id], help)
                ->type_name(typeText(row.type))
                ->group(row.cudaOnly ? std::string(cudaOptionsGroup)
                        : sharing.size() > 1
                            ? std::string("Parameters of several methods")
                            : fmt::format("Parameters of the method {}", source.method));
        }
}

void ParameterOptions::showOnly(CLI::App& app, const ParamTable& table) const {
    const std::string hidden; // the library shows no option of the group without a name
    for (const auto& [id, text] : typed_)
        if (std::ranges::none_of(table.rows(), [&](const ParamRow& row) { return row.id == id; }))
            app.get_option("--" + id)->group(hidden);
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

} // namespace systole
