// systole landmarks: anatomical points. What it does are commands of its own, one line each in
// makeLandmarkCommands().
#pragma once

#include "app/commands/command.h"

#include <memory>
#include <vector>

namespace systole {

/// In the order in which `systole landmarks --help` lists them.
std::vector<std::unique_ptr<Command>> makeLandmarkCommands();

class LandmarksCommand : public Command {
public:
    const char* name() const override { return "landmarks"; }
    const char* summary() const override {
        return "Anatomical points: the target registration error of a motion at them";
    }
    void addOptions(CLI::App& app) override;
    void prepareHelp(CLI::App& app) override;
    int run() override;

private:
    Command* chosen() const; ///< null: none was named

    std::vector<std::unique_ptr<Command>> commands_ = makeLandmarkCommands();
    const CLI::App* app_ = nullptr; ///< owned by the parser
};

} // namespace systole
