#include "app/cli/task_options.h"

#include "app/cli/option_forms.h"
#include "app/cli/parameter_options.h"
#include "compute/core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace systole {
namespace {

/// Help of a parameter, followed by its range unless it is a flag.
std::string descriptionOf(const ParamRow& row) {
    const std::string help = parameterHelp(row);
    return row.type == ParamType::Switch ? help : fmt::format("{} [{}]", help, rangeText(row));
}

} // namespace

CLI::Validator backendCheck() {
    return {[](const std::string& text) {
                const std::vector<std::string>& names = backendNames();
                return std::ranges::find(names, text) != names.end() || text.starts_with("cuda:")
                           ? std::string()
                           : fmt::format("'{}' is not one of {}, cuda:N", text,
                                         fmt::join(names, ", "));
            },
            fmt::format("{{{},cuda:N}}", fmt::join(backendNames(), ","))};
}

CLI::Option* addBackend(CLI::App& app, std::string& backend, const std::string& what) {
    return app
        .add_option("--backend", backend,
                    what + "; auto uses CUDA if available, else the CPU, and reports its choice; "
                           "cuda:N is the device N, from 0")
        ->check(backendCheck())
        ->capture_default_str();
}

void TaskParameters::addTo(CLI::App& app, CLI::Option* of) {
    for (const ParamRow& row : values_.table().rows()) {
        const std::string name = "--" + prefix_ + row.id;
        const auto set = [this, id = row.id](const std::string& text) {
            try {
                values_.setText(id, text);
                given_.push_back(id);
            } catch (const ComputeError& error) {
                throw CLI::ValidationError("--" + prefix_ + error.what());
            }
        };
        CLI::Option* const option =
            row.type == ParamType::Switch
                ? app.add_flag_callback(
                      name, [set] { set("on"); }, descriptionOf(row))
                : app.add_option_function<std::string>(name, set, descriptionOf(row))
                      ->default_str(values_.text(row.id));
        if (of)
            option->needs(of);
    }
}

ParamSet TaskParameters::over(ParamSet others) const {
    for (const std::string& id : given_)
        others.set(id, values_.value(id));
    return others;
}

void TaskOptions::addTo(CLI::App& app, bool record) {
    overwrite.addTo(app);
    if (record)
        app.add_option("--json", json, "Also write a record of the run to this file");
    if (task_.backends.size() > 1)
        addBackend(app, backend_, "Where it runs");
    addThreads(app, threads);
    parameters_.addTo(app);
}

} // namespace systole
