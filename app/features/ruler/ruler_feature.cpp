// The feature ruler: its parts, for the list of features.
#include "app/feature/feature.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::unique_ptr<Tool> makeRulerTool(Tools& tools); // ruler_tool.cpp
std::vector<ToolOptionGroup> rulerOptions();       // ruler_options.cpp
#endif

const Feature& rulerFeature() {
    static const Feature feature{
#ifdef SYSTOLE_VIEWER
        .tools = {makeRulerTool},
        .options = rulerOptions,
#endif
    };
    return feature;
}

} // namespace systole
