// systole landmarks: anatomical points. What it does are commands of its own.
#include "app/features/landmarks/landmarks_command.h"

#include "app/base/error.h"

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace systole {
namespace {

/// Commands in the order in which `systole landmarks --help` lists them.
std::vector<std::unique_ptr<Command>> makeLandmarkCommands() {
    std::vector<std::unique_ptr<Command>> commands;
    commands.push_back(makeLandmarksDetectCommand());
    commands.push_back(makeLandmarksTrackCommand());
    commands.push_back(makeLandmarksTreCommand());
    commands.push_back(makeLandmarksConvertCommand());
    return commands;
}

class LandmarksCommand : public Command {
public:
    LandmarksCommand()
        : Command(
              "landmarks",
              "Anatomical points: found, followed, converted, and the registration error at them") {
    }
    void addOptions(CLI::App& app) override;
    void prepareHelp(CLI::App& app) override;
    int run() override;

private:
    Command* chosen() const; ///< null: none was named

    std::vector<std::unique_ptr<Command>> commands_ = makeLandmarkCommands();
    const CLI::App* app_ = nullptr; ///< owned by the parser
};

void LandmarksCommand::addOptions(CLI::App& app) {
    app_ = &app;
    app.require_subcommand(0, 1);
    for (const auto& command : commands_)
        command->addOptions(*app.add_subcommand(command->name(), command->summary()));
}

Command* LandmarksCommand::chosen() const {
    for (const CLI::App* parsed : app_->get_subcommands())
        for (const auto& command : commands_)
            if (command->name() == parsed->get_name())
                return command.get();
    return nullptr;
}

void LandmarksCommand::prepareHelp(CLI::App& app) {
    if (Command* const command = chosen())
        command->prepareHelp(*app.get_subcommand(command->name()));
}

int LandmarksCommand::run() {
    Command* const command = chosen();
    if (command)
        return command->run();
    std::string names;
    for (const auto& known : commands_)
        names += std::string(names.empty() ? "" : ", ") + known->name();
    throw UsageError("landmarks: name what to do: " + names + " (see 'systole landmarks --help')");
}

} // namespace

std::unique_ptr<Command> makeLandmarksCommand() { return std::make_unique<LandmarksCommand>(); }

} // namespace systole
