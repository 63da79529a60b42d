// Every subcommand, one line each, in the order in which `systole --help` lists them.
#include "app/commands/command.h"

namespace systole {

std::vector<std::unique_ptr<Command>> makeCommands() {
    std::vector<std::unique_ptr<Command>> commands;
    return commands;
}

} // namespace systole
