// The readers of io/ as the fuzzer knows them: one row each, with which `./dev fuzz` includes a
// new reader.
#pragma once

#include <functional>
#include <span>
#include <string>

namespace systole::fuzz {

/// A path for a seed: a new one in each call, with the ending that the reader goes by.
using NextPath = std::function<std::string()>;

struct Reader {
    const char* name;
    const char* file; ///< name of its file
    /// Reads all of the file, as the program would. May throw FileError.
    void (*read)(const std::string& path);
    /// Writes sound files to begin with.
    void (*seeds)(const NextPath& next);
    /// Words of the format, between blanks, that damage is made of.
    const char* words = "";
    /// Sound files that lie beside the damaged one, in its folder; null: none.
    void (*beside)(const std::string& folder) = nullptr;
};

std::span<const Reader> readers();

} // namespace systole::fuzz
