// Guards readers of JSON from hostile files: what is parsed is copied, printed and destroyed level
// by level, each on the stack.
#pragma once

#include <cstddef>
#include <string_view>

namespace systole {

/// Levels of brackets within brackets that any file of ours has room in.
inline constexpr int mostJsonDepth = 8;

/// Whether brackets outside of strings nest deeper than `most`. The text need not be JSON.
constexpr bool nestsDeeperThan(int most, std::string_view text) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '\\')
            ++i;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '[' || c == '{') && ++depth > most)
            return true;
        else if (!quoted && (c == ']' || c == '}'))
            --depth;
    }
    return false;
}

} // namespace systole
