// The feature bias: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"
#include "app/features/bias/bias_run.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::vector<std::unique_ptr<Tool>> biasTools(Tools& tools); // bias_tool.cpp
std::vector<ToolOptionGroup> biasOptions();                 // bias_options.cpp
#endif
std::unique_ptr<Command> makeBiasCommand();
namespace {

std::vector<const Task*> tasks() { return {&biasTask()}; }

std::vector<std::unique_ptr<Command>> commands() {
    std::vector<std::unique_ptr<Command>> made;
    made.push_back(makeBiasCommand());
    return made;
}

} // namespace

const Feature& biasFeature() {
    static const Feature feature{
        .tasks = tasks,
        .commands = commands,
#ifdef SYSTOLE_VIEWER
        .tools = biasTools,
        .options = biasOptions,
#endif
    };
    return feature;
}

} // namespace systole
