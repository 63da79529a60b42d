// Helpers for tests of the window: a display of their own and a small beating sequence.
#pragma once

#include "tests/support/ball_sequence.h"

#include <string>

namespace systole::testing {

/// Why there is no display to test on; empty when there is one.
const std::string& displayProblem();

} // namespace systole::testing
