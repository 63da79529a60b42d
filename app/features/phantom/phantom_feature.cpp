// The feature phantom: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"

namespace systole {

std::unique_ptr<Command> makePhantomCommand();
namespace {

std::vector<std::unique_ptr<Command>> commands() {
    std::vector<std::unique_ptr<Command>> made;
    made.push_back(makePhantomCommand());
    return made;
}

} // namespace

const Feature& phantomFeature() {
    static const Feature feature{
        .commands = commands,
    };
    return feature;
}

} // namespace systole
