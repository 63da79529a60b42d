#include "app/commands/arguments.h"

#include "app/commands/misspelling.h"
#include "app/error.h"
#include "io/text.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace systole {
namespace {

constexpr const char* viewer = "view";

bool looksLikeAFile(std::string_view text) {
    return text.find_first_of("./\\") != std::string_view::npos;
}

} // namespace

std::vector<std::string> withCommand(std::vector<std::string> arguments,
                                     const std::vector<std::string>& commands) {
    const auto isCommand = [&](const std::string& text) {
        return std::ranges::find(commands, text) != commands.end();
    };
    if (arguments.empty() || isCommand(arguments.front()))
        return arguments;
    const std::string& first = arguments.front();
    const bool option = first.starts_with('-');
    const bool ownOption =
        first == "-h" || first == "--help" || first == "--help-all" || first == "--version";
    if (ownOption || (option && std::ranges::any_of(arguments, isCommand)))
        return arguments;
    std::error_code failure;
    if (!option && !std::filesystem::exists(first, failure)) {
        if (looksLikeAFile(first))
            throw fileError(first, noSuchPath);
        const auto meant = similarWord(first, commands);
        throw UsageError(
            fmt::format("there is no command and no file '{}'{} (see 'systole --help')", first,
                        meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
    }
    if (!isCommand(viewer))
        throw UsageError("this build has no viewer to open files in; see 'systole --help' for the "
                         "commands");
    arguments.insert(arguments.begin(), viewer);
    return arguments;
}

std::vector<std::string> withHyphens(std::vector<std::string> arguments, const CLI::App& command) {
    for (std::string& argument : arguments) {
        if (argument == "--")
            break;
        if (!argument.starts_with("--"))
            continue;
        const std::size_t end = std::min(argument.find('='), argument.size());
        std::string name = argument.substr(0, end);
        if (command.get_option_no_throw(name))
            continue;
        std::ranges::replace(name, '_', '-');
        if (command.get_option_no_throw(name))
            argument.replace(0, end, name);
    }
    return arguments;
}

void requireFiniteNumbers(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
        if (!option->get_type_name().starts_with("FLOAT"))
            continue;
        for (const std::string& text : option->results())
            if (!std::isfinite(std::strtod(text.c_str(), nullptr)))
                throw CLI::ValidationError(option->get_name(),
                                           fmt::format("'{}' isn't a finite number", text));
    }
    for (const CLI::App* command : app.get_subcommands())
        requireFiniteNumbers(*command);
}

} // namespace systole
