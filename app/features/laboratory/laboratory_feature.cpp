// The feature laboratory: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::unique_ptr<Tool> makeLaboratoryTool(Tools& tools); // laboratory_tool.cpp
std::vector<ToolOptionGroup> laboratoryOptions();       // laboratory_options.cpp
#endif
std::unique_ptr<Command> makeLabCommand();
std::unique_ptr<Command> makeSpgemmCommand();

const Feature& laboratoryFeature() {
    static const Feature feature{
        .commands = {makeLabCommand, makeSpgemmCommand},
#ifdef SYSTOLE_VIEWER
        .tools = {makeLaboratoryTool},
        .options = laboratoryOptions,
#endif
    };
    return feature;
}

} // namespace systole
