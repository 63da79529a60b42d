// The interface of every subcommand of `systole`. Each feature lists its own (Feature::commands);
// app/features/commands.cpp collects them.
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
    /// `summary`: one line in `systole --help`. Both are literals.
    Command(const char* name, const char* summary) : name_(name), summary_(summary) {}
    virtual ~Command() = default;
    const char* name() const { return name_; }
    const char* summary() const { return summary_; }
    virtual void addOptions(CLI::App& app) = 0;
    /// Called before help prints, with the other options parsed: hides those that the chosen ones
    /// leave without meaning.
    virtual void prepareHelp(CLI::App&) {}
    /// Returns the exit code; throws what the layers throw, which main() prints as one line.
    virtual int run() = 0;

private:
    const char* name_;
    const char* summary_;
};

std::vector<std::unique_ptr<Command>> makeCommands();

} // namespace systole
