// The program's arguments: files may stand without the command that shows them.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace systole {

/// Returns the arguments (without the program's name), with the command "view" in front if they
/// begin with an existing file or folder, or with an option of that command. A command's name is
/// never taken for a file. Throws FileError for a missing file, UsageError for an unknown command;
/// the sentence names the command that was probably meant.
std::vector<std::string> withCommand(std::vector<std::string> arguments,
                                     const std::vector<std::string>& commands);

/// The arguments with hyphens in the names of options of `command` that are written with
/// underscores, as those of most BIDS Apps are: --participant_label.
std::vector<std::string> withHyphens(std::vector<std::string> arguments, const CLI::App& command);

/// Throws CLI::ValidationError if the value of a parsed option that takes real numbers is nan or
/// infinite, which checks of ranges don't see.
void requireFiniteNumbers(const CLI::App& app);

/// A sentence without full stop on the error in the arguments, in this program's words. For an
/// unknown option it ends with the option of the command that was probably meant.
std::string sentenceOf(const CLI::ParseError& error, const CLI::App& app);

} // namespace systole
