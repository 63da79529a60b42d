// Commands of `systole landmarks`, each in a file of its name.
#pragma once

#include "app/cli/command.h"

#include <memory>

namespace systole {

std::unique_ptr<Command> makeLandmarksConvertCommand();
std::unique_ptr<Command> makeLandmarksDetectCommand();
std::unique_ptr<Command> makeLandmarksTrackCommand();
std::unique_ptr<Command> makeLandmarksTreCommand();

} // namespace systole
