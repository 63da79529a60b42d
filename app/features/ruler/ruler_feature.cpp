// The feature ruler: its parts, for the list of features.
#include "app/feature/feature.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::vector<std::unique_ptr<Tool>> rulerTools(Tools& tools); // ruler_tool.cpp
std::vector<ToolOptionGroup> rulerOptions();                 // ruler_options.cpp
#endif

const Feature& rulerFeature() {
    static const Feature feature{
#ifdef SYSTOLE_VIEWER
        .tools = rulerTools,
        .options = rulerOptions,
#endif
    };
    return feature;
}

} // namespace systole
