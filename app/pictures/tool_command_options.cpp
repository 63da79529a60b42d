#include "app/pictures/tool_command_options.h"

#include "app/base/error.h"
#include "app/cli/option_forms.h"
#include "app/feature/feature.h"
#include "app/feature/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

CLI::Validator checkOf(const ToolOption& option) {
    return {[problem = option.problem](const std::string& text) { return problem(text); }, ""};
}

/// Checks numbers, which stay text until a tool is set.
CLI::Validator numberCheck(const ToolOption& option) {
    if (option.whole)
        return inRange(static_cast<int>(option.minimum), static_cast<int>(option.maximum));
    if (std::isfinite(option.minimum) && std::isfinite(option.maximum))
        return inRange(option.minimum, option.maximum);
    return CLI::Validator(CLI::Number).description("");
}

} // namespace

void ToolCommandOptions::addTo(CLI::App& app, const std::vector<std::string>& but) {
    for (const ToolOptionGroup& group : toolOptions()) {
        const OptionGroup title(app, group.title);
        for (const ToolOption& option : group.options)
            if (std::ranges::find(but, option.name) == but.end())
                add(app, option);
    }
    for (const ToolOptionGroup& group : toolOptions())
        for (const ToolOption& option : group.options) {
            const auto added = options_.find(option.name);
            if (added == options_.end())
                continue;
            for (const std::string& other : option.needs)
                added->second->needs(options_.at(other));
            for (const std::string& other : option.excludes)
                if (options_.contains(other))
                    added->second->excludes(options_.at(other));
        }
}

void ToolCommandOptions::add(CLI::App& app, const ToolOption& option) {
    using Form = ToolOption::Form;
    const std::string name = "--" + option.name;
    CLI::Option* added = nullptr;
    if (option.form == Form::Switch) {
        added = app.add_flag(name, option.help);
    } else {
        OptionValues& values = values_[option.name];
        added = app.add_option(name, values, option.help);
        switch (option.form) {
        case Form::Numbers:
            added->type_name(option.whole ? "INT" : "FLOAT")->check(numberCheck(option));
            if (option.count > 1)
                added->delimiter(',');
            added->expected(option.count);
            break;
        case Form::Repeatable:
            added->allow_extra_args(false);
            break;
        case Form::List:
            added->delimiter(',')->allow_extra_args(false);
            break;
        case Form::Words:
            break;
        default:
            added->expected(1);
        }
    }
    if (!option.choices.empty())
        added->check(oneOf(option.choices));
    if (option.problem)
        added->check(checkOf(option));
    options_[option.name] = added;
}

bool ToolCommandOptions::given(const std::string& name) const {
    const auto found = options_.find(name);
    return found != options_.end() && found->second->count() > 0;
}

std::vector<const ToolOption*> ToolCommandOptions::givenOptions() const {
    std::vector<const ToolOption*> options;
    for (const ToolOptionGroup& group : toolOptions())
        for (const ToolOption& option : group.options)
            if (given(option.name))
                options.push_back(&option);
    return options;
}

bool ToolCommandOptions::any() const {
    return !std::ranges::all_of(givenOptions(), &ToolOption::panelOnly);
}

bool ToolCommandOptions::givesMotion() const {
    return std::ranges::any_of(givenOptions(), &ToolOption::givesMotion);
}

bool ToolCommandOptions::anyElse() const {
    return std::ranges::any_of(givenOptions(), [](const ToolOption* option) {
        return !option->panelOnly && !option->givesMotion;
    });
}

bool ToolCommandOptions::draws(const std::string& display) const {
    return std::ranges::any_of(givenOptions(),
                               [&](const ToolOption* option) { return option->drawsFor(display); });
}

std::string ToolCommandOptions::namesOfDrawing(const std::string& display) const {
    std::vector<std::string> names;
    for (const ToolOptionGroup& group : toolOptions())
        for (const ToolOption& option : group.options)
            if (option.drawsFor(display))
                names.push_back("--" + option.name);
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    return text;
}

std::vector<std::vector<std::string>> ToolCommandOptions::shows() const {
    std::vector<std::vector<std::string>> sets;
    for (const ToolOption* option : givenOptions())
        if (!option->shows.empty() && std::ranges::find(sets, option->shows) == sets.end())
            sets.push_back(option->shows);
    return sets;
}

void ToolCommandOptions::addPanels(std::vector<std::string>& titles) const {
    for (const ToolOption* option : givenOptions())
        if (!option->panel.empty() && std::ranges::find(titles, option->panel) == titles.end())
            titles.push_back(option->panel);
}

void ToolCommandOptions::check() const {
    for (const ToolOptionGroup& group : toolOptions())
        if (group.check)
            group.check([this](const std::string& name) { return given(name); });
}

void ToolCommandOptions::apply(Tools& tools) const {
    check();
    for (const ToolOptionGroup& group : toolOptions())
        for (const ToolOption& option : group.options)
            if (given(option.name))
                option.set(tools.named(group.tool), option.form == ToolOption::Form::Switch
                                                        ? OptionValues{}
                                                        : values_.at(option.name));
}

} // namespace systole
