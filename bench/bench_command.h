// `systole bench [NAME...]`
#pragma once

#include "app/cli/command.h"

#include <memory>

namespace systole {

std::unique_ptr<Command> makeBenchCommand();

} // namespace systole
