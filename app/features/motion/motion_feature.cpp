// The feature motion: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"
#include "app/features/motion/motion_run.h"

namespace systole {

std::unique_ptr<Command> makeMotionCommand();
namespace {

std::vector<const Task*> tasks() { return {&motionTask()}; }

std::vector<std::unique_ptr<Command>> commands() {
    std::vector<std::unique_ptr<Command>> made;
    made.push_back(makeMotionCommand());
    return made;
}

} // namespace

const Feature& motionFeature() {
    static const Feature feature{
        .tasks = tasks,
        .commands = commands,
    };
    return feature;
}

} // namespace systole
