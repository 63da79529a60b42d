// Counts of things as text.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace systole {

/// "1 pair", "2 pairs"
inline std::string plural(std::int64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// "frame 3", "frames 0 to 4, 7 and 9"; ascending.
std::string framesText(std::span<const int> frames);

} // namespace systole
