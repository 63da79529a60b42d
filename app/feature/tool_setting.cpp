#include "app/feature/tool_setting.h"

#include <algorithm>

namespace systole {

void addSettings(std::vector<ToolSetting>& settings, const std::string& tool, ParamSet& parameters,
                 const std::function<void()>& changed) {
    for (const ParamRow& row : parameters.table().rows())
        settings.push_back(
            {.name = tool + ": " + row.label(),
             .get = [&parameters, id = row.id] { return parameters.value(id); },
             .set =
                 [&parameters, changed, id = row.id](const ParamValue& value) {
                     parameters.set(id, value);
                     if (changed)
                         changed();
                 },
             .number = row.type == ParamType::Real || row.type == ParamType::Integer});
}

std::vector<SettingValue> valuesOf(const std::vector<ToolSetting>& settings) {
    std::vector<SettingValue> values;
    for (const ToolSetting& setting : settings)
        values.push_back(
            {setting.name, setting.get(), setting.number, setting.decides, setting.follows});
    return values;
}

std::vector<NamedChange> changesBetween(const std::vector<SettingValue>& before,
                                        const std::vector<SettingValue>& after) {
    std::vector<NamedChange> changes;
    for (const SettingValue& was : before) {
        const auto is = std::ranges::find(after, was.name, &SettingValue::name);
        if (is == after.end() || is->value == was.value)
            continue;
        changes.push_back({was.name, was.number, was.follows});
        if (was.decides)
            break;
    }
    return changes;
}

} // namespace systole
