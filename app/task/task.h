// A task: a piece of work with parameters, progress and an outcome, which a command runs to its end
// and a tool of the window runs while the heart beats.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/params.h"

#include <string>
#include <vector>

namespace systole {

struct Task {
    std::string name;                       ///< name of its command, "landmarks detect"
    std::string title;                      ///< its purpose, half a line
    const ParamTable* parameters = nullptr; ///< null: those of a method of motionMethods()
    std::vector<Backend> backends;          ///< backends that can run it
};

/// The tasks of all features (app/features/list.cpp).
std::vector<Task> tasks();

} // namespace systole
