#include "app/cli/method_options.h"

#include "app/base/error.h"
#include "app/base/given_parameters.h"
#include "app/cli/common_options.h"
#include "app/cli/option_forms.h"
#include "app/task/backend.h"
#include "app/tuning/autotune_file.h"
#include "compute/core/error.h"
#include "compute/motion/trajectory_filter.h"

#include <CLI/App.hpp>
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

void addPreset(CLI::App& app, std::string& preset) {
    app.add_option("--preset", preset)->capture_default_str();
}

void describePresets(CLI::App& app, const std::vector<MotionMethod>& methods,
                     const std::string& chosen) {
    std::string own, others;
    for (const MotionMethod& method : methods) {
        const std::string presets =
            fmt::format("{}", fmt::join(method.parameters->presets(), ", "));
        if (method.name == chosen)
            own = presets;
        else
            others += fmt::format("{}{}: {}", others.empty() ? "" : "; ", method.name, presets);
    }
    app.get_option("--preset")
        ->description(fmt::format("Values of {}'s parameters: {}. Presets of others are {}", chosen,
                                  own, others));
}

std::vector<ParameterSource> MethodOptions::sources() const {
    std::vector<ParameterSource> sources;
    for (const MotionMethod& method : *methods_)
        sources.push_back({method.name, method.parameters});
    return sources;
}

std::vector<std::string> MethodOptions::names() const {
    std::vector<std::string> names;
    for (const MotionMethod& method : *methods_)
        names.push_back(method.name);
    return names;
}

void MethodOptions::addTo(CLI::App& app, const std::vector<MotionMethod>& methods,
                          const std::string& standard, const std::string& methodHelp) {
    methods_ = &methods;
    name_ = standard;
    addChoice(app, "--method", name_, names(), methodHelp);
    addPreset(app, preset);
    addBackend(app, backend);
    addThreads(app, threads);
}

void MethodOptions::addParametersTo(CLI::App& app) {
    addRepeatable(app, "--variant", variants, variantOptionHelp)->group(cudaOptionsGroup);
    app.add_flag("--no-autotune", noAutotune, noAutotuneHelp)->group(cudaOptionsGroup);
    app.add_option("--device-memory", deviceBytes_,
                   "Maximum memory to use on the device, such as 8GiB; a motion that needs more is "
                   "estimated in overlapping slabs, a registration on the CPU. 0: all free memory")
        ->transform(CLI::AsSizeValue(false))
        ->transform(CLI::Validator( // runs before AsSizeValue, which would wrap around
            [](const std::string& text) {
                return text.starts_with('-')
                           ? fmt::format("'{}' is negative; a size such as 8GiB was expected", text)
                           : std::string();
            },
            ""))
        ->capture_default_str()
        ->group(cudaOptionsGroup);
    parameters_.addTo(app, sources());
}

void MethodOptions::prepareHelp(CLI::App& app) const {
    const MotionMethod& chosen = method();
    describePresets(app, *methods_, chosen.name);
    parameters_.showOnly(app, {chosen.name, chosen.parameters});
    const std::string hidden; // the library shows no option of the group without a name
    if (app.count("--backend") > 0 && backend != "auto" &&
        !backend.starts_with(name(Backend::Cuda)))
        for (CLI::Option* option : app.get_options())
            if (option->get_group() == cudaOptionsGroup)
                option->group(hidden);
    app.footer(fmt::format("'systole methods' lists the methods, 'systole methods {}' says all "
                           "about this one; --method NAME --help has the parameters of another.",
                           chosen.name));
}

const MotionMethod& MethodOptions::method() const {
    return *std::ranges::find(*methods_, name_, &MotionMethod::name);
}

BackendChoice MethodOptions::backendOf(const MotionMethod& of) const {
    BackendChoice choice = chooseBackend(backend, of);
    choice.deviceBytes = deviceBytes_;
    return choice;
}

ParamSet MethodOptions::values() const {
    ParamSet set = presetOf(method(), preset);
    try {
        parameters_.apply(set);
        for (const std::string& variant : variants)
            setVariant(set, variant);
        return set;
    } catch (const ComputeError& error) {
        throw UsageError(fmt::format("--{}", error.what()));
    }
}

std::string setVariant(ParamSet& parameters, const std::string& stageAndName) {
    const ParamTable& table = parameters.table();
    const std::size_t at = stageAndName.find('=');
    const std::string id = fmt::format("{}{}", variantPrefix, stageAndName.substr(0, at));
    const auto& rows = table.rows();
    const auto row = std::ranges::find(rows, id, &ParamRow::id);
    if (at == std::string::npos || row == rows.end())
        throw UsageError(fmt::format("variant {}: expected STAGE=NAME; there are {}", stageAndName,
                                     stagesOf(table)));
    const std::string name = stageAndName.substr(at + 1);
    if (std::ranges::find(row->choices, name) == row->choices.end())
        throw UsageError(fmt::format("variant {}: no variant '{}' of {}; there are {}",
                                     stageAndName, name, stageAndName.substr(0, at),
                                     fmt::join(row->choices, ", ")));
    parameters.set(id, name);
    return id;
}

std::string windowHelp() {
    return fmt::format("With --reference window, the number of frames to which a parabola in "
                       "time is fitted: an odd number from {} to {}; more need more frames per "
                       "cycle [default: {}]",
                       minTrajectoryWindow, maxTrajectoryWindow, defaultTrajectoryWindow);
}

int windowOf(const std::string& reference, int asked, const WindowOptionNames& names) {
    if (reference != "window" && asked != 0)
        throw UsageError(fmt::format("{} requires {} window", names.window, names.reference));
    if (reference != "window")
        return reference == "first" ? unsmoothedWindow : 0;
    const int window = asked == 0 ? defaultTrajectoryWindow : asked;
    try {
        TrajectoryFilter{window};
    } catch (const ComputeError& error) {
        throw UsageError(fmt::format("{}: {}", names.window, error.what()));
    }
    return window;
}

} // namespace systole
