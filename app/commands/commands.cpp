// Every subcommand, one line each, in the order in which `systole --help` lists them.
#include "app/commands/bench.h"
#include "app/commands/command.h"
#include "app/commands/denoise.h"
#include "app/commands/doctor.h"
#include "app/commands/info.h"
#include "app/commands/lab.h"
#include "app/commands/landmarks.h"
#include "app/commands/motion.h"
#include "app/commands/phantom.h"
#include "app/commands/register.h"
#include "app/commands/segment.h"
#include "app/commands/spgemm.h"

#ifdef SYSTOLE_VIEWER
// The commands that draw: missing in a build without the viewer.
#include "app/commands/snapshot.h"
#include "app/commands/view.h"
#endif

namespace systole {

std::vector<std::unique_ptr<Command>> makeCommands() {
    std::vector<std::unique_ptr<Command>> commands;
#ifdef SYSTOLE_VIEWER
    commands.push_back(std::make_unique<ViewCommand>());
#endif
    commands.push_back(std::make_unique<InfoCommand>());
    commands.push_back(std::make_unique<MotionCommand>());
    commands.push_back(std::make_unique<RegisterCommand>());
    commands.push_back(std::make_unique<DenoiseCommand>());
    commands.push_back(std::make_unique<SegmentCommand>());
    commands.push_back(std::make_unique<LandmarksCommand>());
    commands.push_back(std::make_unique<PhantomCommand>());
    commands.push_back(std::make_unique<SpgemmCommand>());
#ifdef SYSTOLE_VIEWER
    commands.push_back(std::make_unique<SnapshotCommand>());
#endif
    commands.push_back(std::make_unique<LabCommand>());
    commands.push_back(std::make_unique<BenchCommand>());
    commands.push_back(std::make_unique<DoctorCommand>());
    return commands;
}

} // namespace systole
