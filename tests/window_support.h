// What the tests of the window share: a display of their own and a small beating sequence.
#pragma once

#include "tests/program.h"

#include <string>

namespace systole::testing {

/// Why there is no display to test on; empty when there is one.
const std::string& displayProblem();

/// A textured ball that grows and shrinks, bright on dark, as 4D NIfTI; returns its path.
/// frameSeconds 0: its time is unknown.
std::string writeBall(const TemporaryFolder& folder, const std::string& name, int side, int frames,
                      double frameSeconds = 0.04);

} // namespace systole::testing
