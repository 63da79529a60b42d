// The feature profile: its parts, for the list of features.
#include "app/feature/feature.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::unique_ptr<Tool> makeProfileTool(Tools& tools); // profile_tool.cpp
std::vector<ToolOptionGroup> profileOptions();       // profile_options.cpp
#endif

const Feature& profileFeature() {
    static const Feature feature{
#ifdef SYSTOLE_VIEWER
        .tools = {makeProfileTool},
        .options = profileOptions,
#endif
    };
    return feature;
}

} // namespace systole
