// The feature laboratory: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::vector<std::unique_ptr<Tool>> laboratoryTools(Tools& tools); // laboratory_tool.cpp
std::vector<ToolOptionGroup> laboratoryOptions();                 // laboratory_options.cpp
#endif
std::unique_ptr<Command> makeLabCommand();
std::unique_ptr<Command> makeSpgemmCommand();
namespace {

std::vector<std::unique_ptr<Command>> commands() {
    std::vector<std::unique_ptr<Command>> made;
    made.push_back(makeLabCommand());
    made.push_back(makeSpgemmCommand());
    return made;
}

} // namespace

const Feature& laboratoryFeature() {
    static const Feature feature{
        .commands = commands,
#ifdef SYSTOLE_VIEWER
        .tools = laboratoryTools,
        .options = laboratoryOptions,
#endif
    };
    return feature;
}

} // namespace systole
