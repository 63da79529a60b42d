// The number of a lesson as an option value.
#pragma once

#include "app/lab/lessons.h"

#include <CLI/App.hpp>

#include <charconv>
#include <string>

namespace systole {

/// Rejects numbers that no lesson has, before they are parsed.
inline CLI::Validator lessonNumber() {
    return CLI::Validator(
        [](std::string& text) -> std::string {
            int number = 0;
            const char* const end = text.data() + text.size();
            const auto read = std::from_chars(text.data(), end, number);
            const bool known = read.ec == std::errc{} && read.ptr == end && number >= 1 &&
                               number <= lessons().back().number;
            constexpr std::size_t longest = 20; // maximum length of the repeated value
            return known ? std::string() : noLesson("'" + text.substr(0, longest) + "'").what();
        },
        "");
}

} // namespace systole
