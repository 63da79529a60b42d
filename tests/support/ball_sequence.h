// A small beating sequence for tests of the live parts.
#pragma once

#include "tests/support/program.h"

#include <string>

namespace systole::testing {

/// A textured ball that grows and shrinks, bright on dark, as 4D NIfTI; returns its path.
/// frameSeconds 0: its time is unknown.
std::string writeBall(const TemporaryFolder& folder, const std::string& name, int side, int frames,
                      double frameSeconds = 0.04);

} // namespace systole::testing
