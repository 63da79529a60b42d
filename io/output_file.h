// A file being written, plain or gzip; every failed write is reported.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

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

    void write(std::span<const std::byte> bytes);
    template <typename T>
    void write(std::span<T> values) {
        write(std::as_bytes(values));
    }
    void write(const std::string& text) { write(std::span(text.data(), text.size())); }
    /// Must be called last: flushes buffered data to the file.
    void close();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
