// The feature profile: its parts, for the list of features.
#include "app/feature/feature.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::vector<std::unique_ptr<Tool>> profileTools(Tools& tools); // profile_tool.cpp
std::vector<ToolOptionGroup> profileOptions();                 // profile_options.cpp
#endif

const Feature& profileFeature() {
    static const Feature feature{
#ifdef SYSTOLE_VIEWER
        .tools = profileTools,
        .options = profileOptions,
#endif
    };
    return feature;
}

} // namespace systole
