#include "app/commands/landmarks.h"

#include "app/commands/landmarks_convert.h"
#include "app/commands/landmarks_detect.h"
#include "app/commands/landmarks_track.h"
#include "app/commands/landmarks_tre.h"
#include "app/error.h"

#include <CLI/App.hpp>

#include <algorithm>
#include <string>

namespace systole {

std::vector<std::unique_ptr<Command>> makeLandmarkCommands() {
    std::vector<std::unique_ptr<Command>> commands;
    commands.push_back(std::make_unique<LandmarksDetectCommand>());
    commands.push_back(std::make_unique<LandmarksTrackCommand>());
    commands.push_back(std::make_unique<LandmarksTreCommand>());
    commands.push_back(std::make_unique<LandmarksConvertCommand>());
    return commands;
}

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

} // namespace systole
