// A program on the command line: subcommands, and one line on stderr for whatever goes wrong.
#pragma once

#include "app/cli/command.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace systole {

struct ProgramText {
    const char* name; ///< the command that users type
    const char* description;
};

/// Parses the arguments (without the program's name) and runs the command that they name, or "view"
/// where they name none. Returns the exit code: 0, 1 for a failure, 2 for wrong arguments, 130 when
/// interrupted.
int runProgram(const ProgramText& text, std::vector<std::string> arguments,
               const std::function<std::vector<std::unique_ptr<Command>>()>& makeCommands);

} // namespace systole
