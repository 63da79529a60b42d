// A file being written, plain or gzip, in which no failed write goes unnoticed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace systole {

class OutputFile {
public:
    enum class Compression { None, Gzip };

    /// Makes the file or empties it. Throws FileError, as do the others, naming the file
    /// `finalPath` that it is to become.
    OutputFile(const std::string& path, Compression compression, const std::string& finalPath);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::span<const std::byte> bytes);
    template <typename T>
    void write(std::span<T> values) {
        write(std::as_bytes(values));
    }
    void write(const std::string& text) { write(std::span(text.data(), text.size())); }
    /// To be called last: what is buffered reaches the file here.
    void close();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
