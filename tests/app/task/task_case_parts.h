// Parts of the cases in task_cases.h.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/motion_estimator.h"
#include "tests/app/task/task_cases.h"
#include "tests/support/becomes.h"

#include <span>
#include <stdexcept>

namespace systole::test {

inline constexpr auto frame = taskFrame;

ExecResources& resources(); ///< shared by all cases
IntensityScale scale();     ///< scale that the program finds in a file of the frames

void add(TaskResult& result, std::span<const float> values);
void add(TaskResult& result, Vec3 p);

template <typename Condition>
void waitFor(const Condition& condition) {
    if (!becomes(condition))
        throw std::runtime_error("the task doesn't end");
}

/// Tasks that show what they have while they run, and those that the window does in another way.
TaskCase biasCase();
TaskCase registerCase();
TaskCase denoiseCase();
TaskCase motionCase();

} // namespace systole::test
