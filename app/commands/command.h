// The interface of every subcommand of `systole`. commands.cpp lists them, one line each.
#pragma once

#include <memory>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace systole {

class Command {
public:
    virtual ~Command() = default;
    virtual const char* name() const = 0;
    virtual const char* summary() const = 0; ///< one line in `systole --help`
    virtual void addOptions(CLI::App& app) = 0;
    /// Called before --help prints, with the options that precede it parsed: hides options that
    /// the chosen ones leave without meaning.
    virtual void prepareHelp(CLI::App&) {}
    /// Returns the exit code; throws what the layers throw, which main() prints as one line.
    virtual int run() = 0;
};

std::vector<std::unique_ptr<Command>> makeCommands();

} // namespace systole
