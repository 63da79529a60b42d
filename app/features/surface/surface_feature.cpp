// The feature surface: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"
#include "app/features/surface/surface_run.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::vector<std::unique_ptr<Tool>> surfaceTools(Tools& tools); // surface_tool.cpp
std::vector<ToolOptionGroup> surfaceOptions();                 // surface_options.cpp
#endif
std::unique_ptr<Command> makeDenoiseCommand();
namespace {

std::vector<const Task*> tasks() { return {&denoiseTask()}; }

std::vector<std::unique_ptr<Command>> commands() {
    std::vector<std::unique_ptr<Command>> made;
    made.push_back(makeDenoiseCommand());
    return made;
}

} // namespace

const Feature& surfaceFeature() {
    static const Feature feature{
        .tasks = tasks,
        .commands = commands,
#ifdef SYSTOLE_VIEWER
        .tools = surfaceTools,
        .options = surfaceOptions,
#endif
    };
    return feature;
}

} // namespace systole
