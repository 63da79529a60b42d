// A forward cursor through a gzip, zlib or bare deflate stream inside a file.
#pragma once

#include "io/base/byte_source.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace systole {

class Inflater {
public:
    enum class Form { GzipOrZlib, Bare }; ///< bare: of RFC 1951, without a header
    /// The stream starts at byte `start` of the file.
    Inflater(const std::string& path, std::uint64_t start, Form form = Form::GzipOrZlib);
    ~Inflater();

    /// The next bytes of the stream: fewer than requested only at its end. Throws FileError when
    /// the stream is damaged or the file ends before the stream does.
    std::size_t next(std::span<std::byte> out);
    /// Inflated bytes returned so far.
    std::uint64_t position() const;
    void restart();

    /// Compressed bytes from the start of the stream to the end of the file.
    std::uint64_t compressedBytes() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
