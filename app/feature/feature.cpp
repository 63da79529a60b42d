#include "app/feature/feature.h"

#include "app/feature/tool_options.h"
#include "app/feature/tools.h"

namespace systole {

const std::vector<ToolOptionGroup>& toolOptions() {
    static const std::vector<ToolOptionGroup> all = [] {
        std::vector<ToolOptionGroup> groups;
        for (const Feature* feature : features())
            if (feature->options)
                for (ToolOptionGroup& group : feature->options())
                    groups.push_back(std::move(group));
        return groups;
    }();
    return all;
}

std::vector<std::unique_ptr<Tool>> makeTools(Tools& tools) {
    std::vector<std::unique_ptr<Tool>> list;
    for (const Feature* feature : features())
        for (const auto& make : feature->tools)
            list.push_back(make(tools));
    return list;
}

} // namespace systole
