// Protects JSON readers from hostile files: parsing, printing and destroying nested values recurses
// on the stack.
#pragma once

#include <cstddef>
#include <string_view>

namespace systole {

/// Maximum nesting of our own files.
inline constexpr int maxJsonDepth = 8;

/// True if brackets outside of strings nest deeper than `max`. The text need not be JSON.
constexpr bool nestsDeeperThan(int max, std::string_view text) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '\\')
            ++i;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '[' || c == '{') && ++depth > max)
            return true;
        else if (!quoted && (c == ']' || c == '}'))
            --depth;
    }
    return false;
}

} // namespace systole
