// Work of libraries that don't check their memory, in a process of its own: its death harms
// nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace systole {

struct MadeApart {
    std::string bytes;   ///< what the work returned; empty: it failed
    std::string failure; ///< why, for "it isn't made: ..."; empty: it didn't
};

/// Calls `work` in a copy of this process, which first sees that it may take `needBytes` of memory,
/// and ends with this one. No other thread may hold what the work needs.
MadeApart madeApart(const std::function<std::string()>& work, std::size_t needBytes);

} // namespace systole
