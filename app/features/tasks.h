// The list of all tasks.
#pragma once

#include "app/task/task.h"

#include <vector>

namespace systole {

std::vector<Task> tasks();

} // namespace systole
