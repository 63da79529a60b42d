// The feature registration: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"
#include "app/features/registration/registration_run.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::unique_ptr<Tool> makeRegistrationTool(Tools& tools); // registration_tool.cpp
std::vector<ToolOptionGroup> registrationOptions();       // registration_options.cpp
#endif
std::unique_ptr<Command> makeRegisterCommand();

const Feature& registrationFeature() {
    static const Feature feature{
        .tasks = {registrationTask},
        .commands = {makeRegisterCommand},
#ifdef SYSTOLE_VIEWER
        .tools = {makeRegistrationTool},
        .options = registrationOptions,
#endif
    };
    return feature;
}

} // namespace systole
