// Every subcommand, one line each, in the order in which `systole --help` lists them.
#include "app/cli/command.h"
#include "app/features/laboratory/lab_command.h"

#ifdef SYSTOLE_VIEWER
// The commands that draw: missing in a build without the viewer.
#include "app/pictures/snapshot_command.h"
#endif

namespace systole {

std::vector<std::unique_ptr<Command>> makeCommands() {
    std::vector<std::unique_ptr<Command>> commands;
#ifdef SYSTOLE_VIEWER
    commands.push_back(makeViewCommand());
#endif
    commands.push_back(makeInfoCommand());
    commands.push_back(makeMotionCommand());
    commands.push_back(makeRegisterCommand());
    commands.push_back(makeMethodsCommand());
    commands.push_back(makeBiasCommand());
    commands.push_back(makeDenoiseCommand());
    commands.push_back(makeSegmentCommand());
    commands.push_back(makeStrainCommand());
    commands.push_back(makeCohortCommand());
    commands.push_back(makeLandmarksCommand());
    commands.push_back(makePhantomCommand());
    commands.push_back(makeSpgemmCommand());
#ifdef SYSTOLE_VIEWER
    commands.push_back(std::make_unique<SnapshotCommand>());
#endif
    commands.push_back(std::make_unique<LabCommand>());
    commands.push_back(makeBenchmarksCommand());
    commands.push_back(makeDoctorCommand());
    return commands;
}

} // namespace systole
