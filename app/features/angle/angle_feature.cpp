// The feature angle: its parts, for the list of features.
#include "app/feature/feature.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::unique_ptr<Tool> makeAngleTool(Tools& tools); // angle_tool.cpp
std::vector<ToolOptionGroup> angleOptions();       // angle_options.cpp
#endif

const Feature& angleFeature() {
    static const Feature feature{
#ifdef SYSTOLE_VIEWER
        .tools = {makeAngleTool},
        .options = angleOptions,
#endif
    };
    return feature;
}

} // namespace systole
