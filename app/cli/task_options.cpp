#include "app/cli/task_options.h"

#include "app/cli/common_options.h"
#include "app/cli/parameter_options.h"
#include "compute/core/error.h"

namespace systole {

void TaskParameters::addTo(CLI::App& app, CLI::Option* of) {
    for (const ParamRow& row : values_.table().rows()) {
        const std::string name = "--" + row.id;
        const auto set = [this, id = row.id](const std::string& text) {
            try {
                values_.setText(id, text);
                given_.push_back(id);
            } catch (const ComputeError& error) {
                throw CLI::ValidationError(std::string("--") + error.what());
            }
        };
        CLI::Option* const option =
            row.type == ParamType::Switch
                ? app.add_flag_callback(
                      name, [set] { set("on"); }, describedParameter(row))
                : app.add_option_function<std::string>(name, set, describedParameter(row))
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
        addJsonFile(app, json);
    if (task_.backends.size() > 1)
        addBackend(app, backend_);
    addThreads(app, threads);
    parameters_.addTo(app);
}

} // namespace systole
