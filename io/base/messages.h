// Errors and notes of io/ with values in them.
#pragma once

#include "io/base/text.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace systole {

/// The sentence with its values in place.
template <typename First, typename... More>
FileError fileError(const std::string& path,
                    fmt::format_string<const First&, const More&...> sentence, const First& first,
                    const More&... more) {
    return fileError(path, fmt::format(sentence, first, more...));
}

/// Adds a sentence with its values in place to what a user should know of a file.
template <typename... Values>
void addNote(std::vector<std::string>& notes, fmt::format_string<const Values&...> sentence,
             const Values&... values) {
    notes.push_back(fmt::format(sentence, values...));
}

} // namespace systole
