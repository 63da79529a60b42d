#include "app/cli/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace systole {
namespace {

constexpr std::size_t textColumn = 30;
constexpr std::string_view parametersOf = "Parameters of the method ";

/// Columns that the text takes in a terminal: its characters, not its bytes.
std::size_t widthOf(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// Up to the end of the first sentence, or of a part of it that a semicolon ends.
std::string_view firstClause(std::string_view text) {
    const std::size_t end = std::min(text.find(". "), text.find("; "));
    text = text.substr(0, end);
    return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

std::string namesOf(const auto& options) {
    std::vector<std::string> names;
    for (const CLI::Option* option : options)
        if (!option->get_group().empty()) // else hidden
            names.push_back(option->get_name());
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string leftOf(const CLI::Option& option) {
    std::string text =
        option.get_positional() ? option.get_name(true) : option.get_name(false, true);
    const std::string type = option.get_type_name();
    if (!option.get_positional() && option.get_type_size() != 0 && !type.empty())
        text += " " + type.substr(0, type.find(':'));
    if (option.get_positional() &&
        option.get_expected_max() == CLI::detail::expected_max_vector_size)
        text += " ...";
    return text;
}

/// Values of the option without the name of its type: "{a, b}", "INT in [0 - 8]"; empty: any.
std::string valuesOf(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const std::size_t colon = type.find(':');
    return colon == std::string::npos
               ? std::string()
               : CLI::detail::find_and_replace(type.substr(colon + 1), ",", ", ");
}

std::string rightOf(const CLI::Option& option, bool all) {
    const std::string values = valuesOf(option), standard = option.get_default_str();
    std::string text(all ? option.get_description() : firstClause(option.get_description()));
    const auto add = [&](std::string_view before, const std::string& what, std::string_view after) {
        if (!what.empty())
            text += fmt::format(" {}{}{}", before, what, after);
    };
    if (all || values.starts_with('{'))
        add("", values, "");
    add("[", standard, "]");
    if (option.get_required() && !option.get_positional())
        add("(", "required", ")");
    if (all) {
        add("(needs ", namesOf(option.get_needs()), ")");
        add("(not with ", namesOf(option.get_excludes()), ")");
    }
    return text;
}

/// Detail in which a group is shown: each option with its whole description, with the first line of
/// it, the names of the options, or their number.
enum class Shown { Clauses, Lines, Names, Count };

/// Rows of several lines end in an ellipsis.
std::string firstLine(const std::string& row) {
    const std::size_t end = row.find('\n');
    if (end + 1 == row.size())
        return row;
    std::string line = row.substr(0, end);
    while (widthOf(line) + 2 > helpColumns)
        line.resize(line.rfind(' '));
    return line + " …\n";
}

struct Group {
    std::string title;
    std::vector<const CLI::Option*> options;
    Shown shown = Shown::Clauses;

    std::string text(bool all) const {
        if (shown == Shown::Count)
            return fmt::format("{}: {} options\n", title, options.size());
        if (shown == Shown::Names)
            return wrapped(fmt::format("{}: {}", title, namesOf(options)), 0, 2) + "\n";
        std::string lines = title + ":\n";
        for (const CLI::Option* option : options) {
            const std::string row = helpRow(leftOf(*option), rightOf(*option, all));
            lines += shown == Shown::Lines ? firstLine(row) : row;
        }
        return lines;
    }
};

std::vector<Group> groupsOf(const CLI::App& app) {
    std::vector<Group> groups;
    for (const std::string& title : app.get_groups()) {
        const auto isShown = [&](const CLI::Option* option) {
            return !title.empty() && option->get_group() == title && option != app.get_help_ptr() &&
                   option != app.get_help_all_ptr();
        };
        std::vector<const CLI::Option*> options = app.get_options(isShown);
        // Files come first, in the order in which they are named.
        std::ranges::stable_partition(options, &CLI::Option::get_positional);
        if (!options.empty())
            groups.push_back({title, std::move(options)});
    }
    return groups;
}

std::string subcommandsOf(const CLI::App& app) {
    std::string text;
    for (const CLI::App* command : app.get_subcommands({})) {
        const std::string description = command->get_description();
        std::string first = description.substr(0, description.find('\n'));
        if (first.ends_with('.'))
            first.pop_back();
        text += helpRow(command->get_name(), first);
    }
    return text.empty() ? text : "Commands:\n" + text;
}

/// Shortens one group, the last that still can be; the first, and the parameters of a --method that
/// is given, after the others. False: none can.
bool shorten(std::vector<Group>& groups, const CLI::App& app) {
    const CLI::Option* const method = app.get_option_no_throw("--method");
    const bool chosen = method && method->count() > 0;
    const auto isMain = [&](const Group& group) {
        return chosen ? group.title.starts_with(parametersOf) : &group == &groups.front();
    };
    constexpr struct {
        bool main;
        Shown shown;
    } order[] = {{false, Shown::Clauses}, {false, Shown::Lines}, {true, Shown::Clauses},
                 {false, Shown::Names},   {true, Shown::Lines},  {true, Shown::Names}};
    for (const auto& next : order)
        for (auto group = groups.rbegin(); group != groups.rend(); ++group)
            if (group->shown == next.shown && isMain(*group) == next.main) {
                group->shown = static_cast<Shown>(static_cast<int>(next.shown) + 1);
                return true;
            }
    return false;
}

} // namespace

std::string parameterGroup(const std::string& method, const std::vector<std::string>& presets) {
    const std::string title = fmt::format("{}{}", parametersOf, method);
    return presets.empty() ? title
                           : fmt::format("{} (presets: {})", title, fmt::join(presets, ", "));
}

std::string wrapped(std::string_view text, std::size_t used, std::size_t indent) {
    std::string out;
    std::size_t column = used;
    bool begun = false; // a word stands in the line
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
        const std::string_view word = text.substr(0, end);
        if (begun && column + 1 + widthOf(word) > helpColumns) {
            out += fmt::format("\n{:{}}", "", indent);
            column = indent;
            begun = false;
        }
        if (!word.empty()) {
            out += begun ? " " : "";
            out += word;
            column += widthOf(word) + (begun ? 1 : 0);
            begun = true;
        }
        if (end < text.size() && text[end] == '\n') {
            out += fmt::format("\n{:{}}", "", indent);
            column = indent;
            begun = false;
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

std::string helpRow(const std::string& left, std::string_view right) {
    constexpr std::size_t margin = 2;
    const std::size_t end = margin + widthOf(left);
    const std::size_t begin = std::max(textColumn, end + margin);
    return fmt::format("  {}{:{}}{}\n", left, "", begin - end, wrapped(right, begin, textColumn));
}

std::string CommandHelp::make_help(const CLI::App* app, std::string name,
                                   CLI::AppFormatMode mode) const {
    const bool all = mode == CLI::AppFormatMode::All;
    std::vector<Group> groups = groupsOf(*app);
    const auto page = [&] {
        std::string text = wrapped(app->get_description(), 0, 0) + "\n" + make_usage(app, name);
        bool gap = true; // an empty line precedes the next group
        for (const Group& group : groups) {
            const bool tall = group.shown <= Shown::Lines;
            text += (gap || tall ? "\n" : "") + group.text(all);
            gap = tall;
        }
        if (const std::string commands = subcommandsOf(*app); !commands.empty())
            text += "\n" + commands;
        std::string last = app->get_footer();
        if (!groups.empty() && !all)
            last += (last.empty() ? "" : " ") +
                    std::string("--help-all shows everything about every option.");
        return last.empty() ? text : text + "\n" + wrapped(last, 0, 0) + "\n";
    };
    const auto lines = [](const std::string& text) {
        return static_cast<std::size_t>(std::ranges::count(text, '\n'));
    };
    std::string text = page();
    while (!all && lines(text) > helpLines && shorten(groups, *app))
        text = page();
    return text;
}

} // namespace systole
