// The feature fields: its parts, for the list of features.
#include "app/feature/feature.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::vector<std::unique_ptr<Tool>> fieldsTools(Tools& tools); // fields_tool.cpp
std::vector<ToolOptionGroup> fieldsOptions();                 // fields_options.cpp
#endif

const Feature& fieldsFeature() {
    static const Feature feature{
#ifdef SYSTOLE_VIEWER
        .tools = fieldsTools,
        .options = fieldsOptions,
#endif
    };
    return feature;
}

} // namespace systole
