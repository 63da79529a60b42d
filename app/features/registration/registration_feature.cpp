// The feature registration: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"
#include "app/features/registration/registration_run.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::vector<std::unique_ptr<Tool>> registrationTools(Tools& tools); // registration_tool.cpp
std::vector<ToolOptionGroup> registrationOptions();                 // registration_options.cpp
#endif
std::unique_ptr<Command> makeRegisterCommand();
namespace {

std::vector<const Task*> tasks() { return {&registrationTask()}; }

std::vector<std::unique_ptr<Command>> commands() {
    std::vector<std::unique_ptr<Command>> made;
    made.push_back(makeRegisterCommand());
    return made;
}

} // namespace

const Feature& registrationFeature() {
    static const Feature feature{
        .tasks = tasks,
        .commands = commands,
#ifdef SYSTOLE_VIEWER
        .tools = registrationTools,
        .options = registrationOptions,
#endif
    };
    return feature;
}

} // namespace systole
