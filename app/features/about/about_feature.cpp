// The feature about: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"

namespace systole {

std::unique_ptr<Command> makeInfoCommand();
std::unique_ptr<Command> makeMethodsCommand();
std::unique_ptr<Command> makeDoctorCommand();
std::unique_ptr<Command> makeBenchmarksCommand();
namespace {

std::vector<std::unique_ptr<Command>> commands() {
    std::vector<std::unique_ptr<Command>> made;
    made.push_back(makeInfoCommand());
    made.push_back(makeMethodsCommand());
    made.push_back(makeDoctorCommand());
    made.push_back(makeBenchmarksCommand());
    return made;
}

} // namespace

const Feature& aboutFeature() {
    static const Feature feature{
        .commands = commands,
    };
    return feature;
}

} // namespace systole
