// The feature bias: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"
#include "app/features/bias/bias_run.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::unique_ptr<Tool> makeBiasTool(Tools& tools); // bias_tool.cpp
std::vector<ToolOptionGroup> biasOptions();       // bias_options.cpp
#endif
std::unique_ptr<Command> makeBiasCommand();

const Feature& biasFeature() {
    static const Feature feature{
        .tasks = {biasTask},
        .commands = {makeBiasCommand},
#ifdef SYSTOLE_VIEWER
        .tools = {makeBiasTool},
        .options = biasOptions,
#endif
    };
    return feature;
}

} // namespace systole
