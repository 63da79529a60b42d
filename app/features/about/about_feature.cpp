// The feature about: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"

namespace systole {

std::unique_ptr<Command> makeInfoCommand();
std::unique_ptr<Command> makeMethodsCommand();
std::unique_ptr<Command> makeDoctorCommand();
std::unique_ptr<Command> makeBenchmarksCommand();

const Feature& aboutFeature() {
    static const Feature feature{
        .commands = {makeInfoCommand, makeMethodsCommand, makeDoctorCommand, makeBenchmarksCommand},
    };
    return feature;
}

} // namespace systole
