// Recognizes a file that this program wrote, whatever was done to it since.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace systole {

struct FileFingerprint {
    std::uint64_t bytes = 0;
    std::uint32_t crc32 = 0; ///< checksum of the whole file
    bool operator==(const FileFingerprint&) const = default;
};

/// Nothing unless the path is a readable regular file; a symbolic link isn't one.
std::optional<FileFingerprint> fingerprintOf(const std::string& path);

} // namespace systole
