// The commands of all features, and those above them: cohorts and pictures.
#include "app/cli/command.h"
#include "app/feature/feature.h"

namespace systole {

std::unique_ptr<Command> makeCohortCommand();
#ifdef SYSTOLE_VIEWER
std::unique_ptr<Command> makeSnapshotCommand();
std::unique_ptr<Command> makeViewCommand();
#endif

std::vector<std::unique_ptr<Command>> makeCommands() {
    std::vector<std::unique_ptr<Command>> commands;
#ifdef SYSTOLE_VIEWER
    commands.push_back(makeViewCommand());
    commands.push_back(makeSnapshotCommand());
#endif
    for (const Feature* feature : features())
        for (const auto& make : feature->commands)
            commands.push_back(make());
    commands.push_back(makeCohortCommand());
    return commands;
}

} // namespace systole
