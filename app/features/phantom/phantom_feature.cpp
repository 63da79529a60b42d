// The feature phantom: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"

namespace systole {

std::unique_ptr<Command> makePhantomCommand();

const Feature& phantomFeature() {
    static const Feature feature{
        .commands = {makePhantomCommand},
    };
    return feature;
}

} // namespace systole
