// The feature surface: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"
#include "app/features/surface/surface_run.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::unique_ptr<Tool> makeSurfaceTool(Tools& tools); // surface_course.cpp
std::vector<ToolOptionGroup> surfaceOptions();       // surface_options.cpp
#endif
std::unique_ptr<Command> makeDenoiseCommand();

const Feature& surfaceFeature() {
    static const Feature feature{
        .tasks = {denoiseTask},
        .commands = {makeDenoiseCommand},
#ifdef SYSTOLE_VIEWER
        .tools = {makeSurfaceTool},
        .options = surfaceOptions,
#endif
    };
    return feature;
}

} // namespace systole
