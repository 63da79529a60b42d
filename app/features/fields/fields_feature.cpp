// The feature fields: its parts, for the list of features.
#include "app/feature/feature.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::unique_ptr<Tool> makeFieldsTool(Tools& tools); // fields_tool.cpp
std::vector<ToolOptionGroup> fieldsOptions();       // fields_options.cpp
#endif

const Feature& fieldsFeature() {
    static const Feature feature{
#ifdef SYSTOLE_VIEWER
        .tools = {makeFieldsTool},
        .options = fieldsOptions,
#endif
    };
    return feature;
}

} // namespace systole
