// The kind of file that a path names: a failure to look isn't taken for a missing file.
#pragma once

#include "io/base/text.h"

#include <filesystem>
#include <string>
#include <system_error>

namespace systole {

/// Links are followed. not_found: nothing has this name. Throws FileError if that can't be known,
/// such as when a disk fails; std::filesystem's is_directory() and the like return false then.
inline std::filesystem::file_type kindOf(const std::string& path) {
    std::error_code failure;
    const std::filesystem::file_type kind = std::filesystem::status(path, failure).type();
    if (kind == std::filesystem::file_type::none || kind == std::filesystem::file_type::unknown)
        throw fileError(path, "can't be looked at: " + failure.message());
    return kind;
}

} // namespace systole
