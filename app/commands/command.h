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
    /// Called before help prints, with the other options parsed: hides those that the chosen ones
    /// leave without meaning.
    virtual void prepareHelp(CLI::App&) {}
    /// Returns the exit code; throws what the layers throw, which main() prints as one line.
    virtual int run() = 0;
};

std::vector<std::unique_ptr<Command>> makeCommands();

// Each in the file of its command.
std::unique_ptr<Command> makeBenchCommand();
std::unique_ptr<Command> makeBiasCommand();
std::unique_ptr<Command> makeDenoiseCommand();
std::unique_ptr<Command> makeDoctorCommand();
std::unique_ptr<Command> makeInfoCommand();
std::unique_ptr<Command> makeLandmarksCommand();
std::unique_ptr<Command> makeMethodsCommand();
std::unique_ptr<Command> makeMotionCommand();
std::unique_ptr<Command> makePhantomCommand();
std::unique_ptr<Command> makeRegisterCommand();
std::unique_ptr<Command> makeSegmentCommand();
std::unique_ptr<Command> makeSpgemmCommand();
std::unique_ptr<Command> makeViewCommand();

} // namespace systole
