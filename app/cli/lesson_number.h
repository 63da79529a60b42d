// The number of a lesson as an option value.
#pragma once

#include "app/base/lessons.h"
#include "io/base/text.h"

#include <CLI/App.hpp>

#include <optional>
#include <string>

namespace systole {

/// Rejects numbers that no lesson has, before they are parsed.
inline CLI::Validator lessonNumber() {
    return CLI::Validator(
        [](std::string& text) -> std::string {
            const std::optional<long long> number = parseInteger(text);
            const bool known = number && *number >= 1 && *number <= lessons().back().number;
            constexpr std::size_t longest = 20; // maximum length of the repeated value
            return known ? std::string() : noLesson("'" + text.substr(0, longest) + "'").what();
        },
        "");
}

} // namespace systole
