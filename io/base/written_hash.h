// Hashes of files that this process writes, found while their bytes are at hand.
#pragma once

#include <string>

namespace systole {

/// OutputFile hashes what it writes as long as an object of this class exists. Can be made on any
/// thread.
class WrittenHashes {
public:
    WrittenHashes();
    ~WrittenHashes();
    WrittenHashes(const WrittenHashes&) = delete;
    WrittenHashes& operator=(const WrittenHashes&) = delete;

    static bool wanted();
    /// Notes the SHA-256 of an open file whose last byte has been written.
    static void add(int descriptor, const std::string& sha256);
    /// The SHA-256 of a file that was written here and not since, as its size, its date and the
    /// place of its data say; empty: it isn't known. A file may have another name by now.
    static std::string of(const std::string& path);
};

} // namespace systole
