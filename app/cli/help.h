// The help of every command: what fits a screen for --help, everything for --help-all.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace systole {

/// The screen that --help fits.
inline constexpr std::size_t helpColumns = 100, helpLines = 40;

/// The group of a method's parameters among the options of a command.
std::string parameterGroup(const std::string& method, const std::vector<std::string>& presets);

/// Two columns of a list; the right one is wrapped, and begins behind a left one that is too wide.
std::string helpRow(const std::string& left, std::string_view right);

/// Lines of at most helpColumns; `used` columns of the first one are taken, the others are indented
/// by so many.
std::string wrapped(std::string_view text, std::size_t used, std::size_t indent);

/// --help: the first clause of each option's description. While that is longer than a screen, the
/// last group that still can is shortened to a line for each option, then to their names, then to
/// their number; the first group, or the parameters of a --method that is given, after all others.
/// --help-all: all that is known of each option.
class CommandHelp : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override;
};

} // namespace systole
