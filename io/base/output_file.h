// Files being written, plain or gzip; every failed write is reported. Whole ones are written under
// a temporary name in the same folder and renamed, so that a killed program leaves no partial file
// under a final name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace systole {

class OutputFile {
public:
    enum class Compression { None, Gzip };

    /// Creates or truncates the file. All functions throw FileError naming `finalPath`, the name
    /// that the file will get.
    OutputFile(const std::string& path, Compression compression, const std::string& finalPath);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// Small pieces are collected, so that callers may write number by number.
    void write(std::span<const std::byte> bytes);
    /// The bytes of the values that a container holds.
    template <std::ranges::contiguous_range Values>
    requires(!std::is_array_v<Values>) // a literal has its text written, without its end
        void write(const Values& values) {
        const std::span<const std::byte> bytes = std::as_bytes(std::span(values));
        write(bytes);
    }
    void write(const char* text) { write(std::string_view(text)); }
    /// Must be called last: flushes buffered data to the file.
    void close();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

enum class Existing { Replaced, Kept }; ///< Treatment of a file that has the name already.
/// Data that are on the disk when a file has its name (io/base/on_disk.h): bytes and name; only its
/// bytes, while the caller waits for the names of several; nothing, for files that an interrupted
/// run can do without.
enum class OnDisk { Named, Bytes, Nothing };

/// Calls `write` with a temporary name beside `path`, then renames it to `path`. On failure the
/// temporary file is removed and FileError thrown, also for a file that is kept.
void writeAtomically(const std::string& path, const std::function<void(const std::string&)>& write,
                     Existing existing = Existing::Replaced, OnDisk onDisk = OnDisk::Named);
/// Overload of writeAtomically() that passes an open file and closes it afterwards: gzip if the
/// name ends with .gz.
void writeFileAtomically(const std::string& path, const std::function<void(OutputFile&)>& write);
void writeTextAtomically(const std::string& path, const std::string& text,
                         Existing existing = Existing::Replaced, OnDisk onDisk = OnDisk::Named);

/// The file that writing to the path makes or replaces: absolute, links followed, and the same for
/// every way to spell it. Throws FileError for links that lead round in a circle.
std::filesystem::path targetOf(const std::string& path);
/// Throws FileError if the folder of that file is missing or can't be written to.
void requireWritableFolder(const std::string& path);

/// Throws FileError if the path is one of `inputs`, the files of the open image.
void refuseInputs(const std::string& path, const std::vector<std::string>& inputs);

/// Creates the folder if it is missing; throws FileError when it can't be written to.
void ensureFolder(const std::string& path);

} // namespace systole
