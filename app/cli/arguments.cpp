#include "app/cli/arguments.h"

#include "app/base/error.h"
#include "app/cli/misspelling.h"
#include "io/base/text.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <regex>
#include <string_view>

namespace systole {
namespace {

constexpr const char* viewer = "view";

bool looksLikeAFile(std::string_view text) {
    return text.find_first_of("./\\") != std::string_view::npos;
}

/// The command that was named, as far as it was understood.
const CLI::App& namedCommand(const CLI::App& app) {
    const CLI::App* named = &app;
    while (!named->get_subcommands().empty())
        named = named->get_subcommands().front();
    return *named;
}

/// "--method" for "--metod=clg"; nothing for what isn't a long option.
std::optional<std::string> meantOption(const std::string& text, const CLI::App& command) {
    if (!text.starts_with("--"))
        return std::nullopt;
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
        if (!option->get_group().empty()) // options of earlier versions have no group
            std::ranges::copy(option->get_lnames(), std::back_inserter(names));
    const auto meant = similarWord(text.substr(2, text.find('=') - 2), names);
    return meant ? std::optional("--" + *meant) : std::nullopt;
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

std::string sentenceOf(const CLI::ParseError& error, const CLI::App& app) {
    if (dynamic_cast<const CLI::ExtrasError*>(&error))
        for (const std::string& unknown : app.remaining(true))
            if (const auto meant = meantOption(unknown, namedCommand(app)))
                return fmt::format("{}; did you mean {}?", error.what(), *meant);
    // The library's "no upper bound" has three hundred digits, and a missing file is named as
    // everywhere else.
    static const std::regex unbounded(R"(Value (.*) not in range 0\.0+ to \d{100,}\.0+)");
    static const std::regex missing(R"((File|Directory) does not exist: (.*))");
    return std::regex_replace(
        std::regex_replace(error.what(), unbounded, "$1 isn't a positive number"), missing,
        std::string("$2: ") + noSuchPath);
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
