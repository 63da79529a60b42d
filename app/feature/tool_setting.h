// The user's choices in a tool, as data: undo compares and restores all settings alike.
#pragma once

#include "compute/core/params.h"

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace systole {

/// A difference that undo takes back.
struct NamedChange {
    std::string text;        ///< names it, for "Undo ..."
    bool continuous = false; ///< the change is of one number: consecutive ones are one step of undo
    bool follows = false;    ///< the change results from another one; then only the other is named
};

struct ToolSetting {
    std::string name; ///< "surface: denoise"; of one tool each differs
    std::function<ParamValue()> get;
    std::function<void(const ParamValue&)> set;
    bool number = false;  ///< a slider changes it
    bool decides = false; ///< other settings or their values depend on this one
    bool follows = false; ///< other tools change it, too: see NamedChange
};

/// A member of a tool: a number, a switch, a text, or an enumeration. `changed`: called after it
/// was restored.
template <typename Value>
ToolSetting settingOf(std::string name, Value& member, std::function<void()> changed = {}) {
    constexpr bool isWhole =
        std::is_enum_v<Value> || (std::is_integral_v<Value> && !std::is_same_v<Value, bool>);
    using Stored = std::conditional_t<isWhole, int, Value>;
    return {.name = std::move(name),
            .get = [&member] { return ParamValue(static_cast<Stored>(member)); },
            .set =
                [&member, changed = std::move(changed)](const ParamValue& value) {
                    member = static_cast<Value>(std::get<Stored>(value));
                    if (changed)
                        changed();
                },
            .number = std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>};
}

/// Adds a setting for each row of a table, named "tool: label".
void addSettings(std::vector<ToolSetting>& settings, const std::string& tool, ParamSet& parameters,
                 const std::function<void()>& changed = {});

/// The value of a setting, at some time.
struct SettingValue {
    std::string name;
    ParamValue value;
    bool number = false, decides = false, follows = false;
};
std::vector<SettingValue> valuesOf(const std::vector<ToolSetting>& settings);
/// Settings that both have, with another value. What follows from one that decides isn't named.
std::vector<NamedChange> changesBetween(const std::vector<SettingValue>& before,
                                        const std::vector<SettingValue>& after);

} // namespace systole
