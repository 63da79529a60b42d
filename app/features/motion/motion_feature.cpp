// The feature motion: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"
#include "app/features/motion/motion_run.h"

namespace systole {

std::unique_ptr<Command> makeMotionCommand();

const Feature& motionFeature() {
    static const Feature feature{
        .tasks = {motionTask},
        .commands = {makeMotionCommand},
    };
    return feature;
}

} // namespace systole
