// The first of many names, for a sentence.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

namespace systole {

/// "a, b, c and 4 more"
inline std::string someOf(std::span<const std::string> names) {
    constexpr std::size_t most = 3;
    const std::size_t shown = std::min(most, names.size());
    return fmt::format("{}{}", fmt::join(names.first(shown), ", "),
                       names.size() > shown ? fmt::format(" and {} more", names.size() - shown)
                                            : "");
}

} // namespace systole
