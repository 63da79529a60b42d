// The options by which a user sets a tool on a command line, one row each: `systole snapshot` and
// `systole view` take them, and "Copy as command line" writes them.
#pragma once

#include "compute/core/geometry.h"
#include "compute/core/params.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace systole {

class Tool;

/// The values of an option as text; none for a switch.
using OptionValues = std::vector<std::string>;

struct ToolOption {
    enum class Form {
        Switch,     ///< no value
        Text,       ///< one value
        Repeatable, ///< one value each time
        Words,      ///< all values that follow
        List,       ///< values separated by commas, or by repeating the option
        Numbers     ///< `count` numbers separated by commas
    };
    std::string name; ///< name without dashes, "surface-threshold"
    std::string help;
    Form form = Form::Text;
    std::vector<std::string> choices{}; ///< the values that Text may have; empty: any
    double minimum = -std::numeric_limits<double>::infinity();
    double maximum = std::numeric_limits<double>::infinity();
    bool whole = false;                  ///< numbers are whole ones
    int count = 1;                       ///< numbers
    std::vector<std::string> needs{};    ///< options that must be given with it
    std::vector<std::string> excludes{}; ///< options that must not
    std::vector<std::string> draws{}; ///< switches of the display that this gives something to draw
    std::vector<std::string> shows{}; ///< subset of `draws` that a picture then shows
    std::string panel{};              ///< title of the panel that a picture then has; empty: none
    bool givesMotion = false;         ///< motion in place of an estimated one
    bool panelOnly = false;           ///< seen in a panel alone: it asks for no live view
    /// Describes the error in a value, "'x' isn't ..."; empty text: no error. Empty function: every
    /// value is accepted.
    std::function<std::string(const std::string&)> problem{};
    /// Sets it on the command line's behalf. Throws UsageError.
    std::function<void(Tool&, const OptionValues&)> set{};
    /// The values that would set the tool to what it is; none: the option isn't needed.
    std::function<std::optional<OptionValues>(const Tool&)> get{};

    /// It gives this switch of the display something to draw.
    bool drawsFor(const std::string& display) const {
        return std::ranges::find(draws, display) != draws.end();
    }
};

/// The options of one tool, in the order in which they are set.
struct ToolOptionGroup {
    std::string tool;  ///< Tool::name().id
    std::string title; ///< heading in the help
    std::vector<ToolOption> options;
    /// Checks what was given together, by names, before any is set. Throws UsageError.
    std::function<void(const std::function<bool(const std::string& name)>& given)> check{};
};

/// `set` and `get` of an option by functions of a tool's own class.
template <typename Of>
std::function<void(Tool&, const OptionValues&)>
setting(std::function<void(Of&, const OptionValues&)> set) {
    return [set = std::move(set)](Tool& tool, const OptionValues& values) {
        set(dynamic_cast<Of&>(tool), values);
    };
}
template <typename Of>
std::function<std::optional<OptionValues>(const Tool&)>
getting(std::function<std::optional<OptionValues>(const Of&)> get) {
    return [get = std::move(get)](const Tool& tool) { return get(dynamic_cast<const Of&>(tool)); };
}

/// Points in one value of Form::Numbers, x,y,z,x,y,z, LPS mm, and back.
std::vector<Vec3> pointsOf(const OptionValues& numbers);
OptionValues numbersOf(const std::vector<Vec3>& points);
double numberOf(const std::string& text); ///< the text was checked
std::string exactText(double number);     ///< reads back as the same number

/// A parameter's value as ParamSet::setText() reads it back exactly.
std::string assignedText(const ParamSet& parameters, const std::string& id);
/// NAME=VALUE of each parameter of `parameters` that differs from `usual`, but for some ids.
OptionValues changedParameters(const ParamSet& parameters, const ParamSet& usual,
                               const std::vector<std::string>& but = {});
/// None where there is nothing to say.
inline std::optional<OptionValues> unlessEmpty(OptionValues values) {
    return values.empty() ? std::nullopt : std::optional(std::move(values));
}
/// Result of `get` for a switch.
inline std::optional<OptionValues> switchedOn(bool on) {
    return on ? std::optional(OptionValues{}) : std::nullopt;
}

} // namespace systole
