// The feature cardiac: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"
#include "app/features/cardiac/strain_run.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::unique_ptr<Tool> makeCardiacTool(Tools& tools); // cardiac_options.cpp
std::vector<ToolOptionGroup> cardiacOptions();       // cardiac_options.cpp
#endif
std::unique_ptr<Command> makeStrainCommand();

const Feature& cardiacFeature() {
    static const Feature feature{
        .tasks = {strainTask},
        .commands = {makeStrainCommand},
#ifdef SYSTOLE_VIEWER
        .tools = {makeCardiacTool},
        .options = cardiacOptions,
#endif
    };
    return feature;
}

} // namespace systole
