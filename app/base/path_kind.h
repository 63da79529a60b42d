// What a path names, where not knowing isn't the same as nothing.
#pragma once

#include "io/base/text.h"

#include <filesystem>
#include <string>
#include <system_error>

namespace systole {

/// Links are followed. not_found: there is nothing of this name. Throws FileError if that can't be
/// known, as when a disk fails: std::filesystem's is_directory() and the like say no.
inline std::filesystem::file_type kindOf(const std::string& path) {
    std::error_code failure;
    const std::filesystem::file_type kind = std::filesystem::status(path, failure).type();
    if (kind == std::filesystem::file_type::none || kind == std::filesystem::file_type::unknown)
        throw fileError(path, "can't be looked at: " + failure.message());
    return kind;
}

} // namespace systole
