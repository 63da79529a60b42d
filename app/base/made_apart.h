// Runs work of libraries that don't check for lack of memory in a separate process, so that a crash
// doesn't end the program.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace systole {

struct MadeApart {
    std::string bytes;   ///< result of the work; empty: it failed
    std::string failure; ///< reason, to follow "it isn't made: "; empty: it succeeded
};

/// Calls `work` in a forked copy of this process, which first checks that it can allocate
/// `needBytes`, and ends with this one. No other thread may hold a lock that the work needs.
MadeApart madeApart(const std::function<std::string()>& work, std::size_t needBytes);

} // namespace systole
