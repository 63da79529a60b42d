// The feature cardiac: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"
#include "app/features/cardiac/strain_run.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::vector<std::unique_ptr<Tool>> cardiacTools(Tools& tools); // cardiac_options.cpp
std::vector<ToolOptionGroup> cardiacOptions();                 // cardiac_options.cpp
#endif
std::unique_ptr<Command> makeStrainCommand();
namespace {

std::vector<const Task*> tasks() { return {&strainTask()}; }

std::vector<std::unique_ptr<Command>> commands() {
    std::vector<std::unique_ptr<Command>> made;
    made.push_back(makeStrainCommand());
    return made;
}

} // namespace

const Feature& cardiacFeature() {
    static const Feature feature{
        .tasks = tasks,
        .commands = commands,
#ifdef SYSTOLE_VIEWER
        .tools = cardiacTools,
        .options = cardiacOptions,
#endif
    };
    return feature;
}

} // namespace systole
