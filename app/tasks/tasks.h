// The tasks: pieces of work with parameters, progress and an outcome, each of which a command runs
// to its end and a tool of the window while the heart beats.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/params.h"

#include <string>
#include <vector>

namespace systole {

struct Task {
    std::string name;                       ///< of its command, "landmarks detect"
    std::string title;                      ///< what it does, half a line
    const ParamTable* parameters = nullptr; ///< null: those of a method of motionMethods()
    std::vector<Backend> backends;          ///< that it can run on
};

/// One line each.
const std::vector<Task>& tasks();
/// Throws std::out_of_range.
const Task& taskNamed(const std::string& name);

} // namespace systole
