// The bytes behind a header, by offset: straight from a file, inflated on the way, or from memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace systole {

/// One caller at a time. Throws FileError naming the file.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// Fills all of `out` with the bytes from `offset` on.
    virtual void read(std::uint64_t offset, std::span<std::byte> out) = 0;
};

/// A regular file, opened for reading. Anything else (a folder, a pipe, a device) is refused.
class InputFile {
public:
    explicit InputFile(const std::string& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    const std::string& path() const { return path_; }
    std::uint64_t size() const { return size_; }
    /// Number of bytes read from `offset` on: less than requested only at the end of the file.
    std::size_t readSome(std::uint64_t offset, std::span<std::byte> out) const;
    /// Up to `maxBytes` bytes from `offset` on, as text.
    std::string text(std::uint64_t offset, std::uint64_t maxBytes) const;
    bool isGzip() const;

private:
    std::string path_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

/// `promised` bytes from `start` on; throws immediately when the file is shorter.
std::unique_ptr<ByteSource> openPlainBytes(const std::string& path, std::uint64_t start,
                                           std::uint64_t promised);

/// A gzip (any number of members) or zlib stream that starts at byte `start` of the file and
/// inflates to `skip` ignored bytes, then `promised` bytes; offset 0 is the first of these. Short
/// streams are inflated and checked at once, longer ones on demand, as with `trustsSize` those of
/// gzip that end with the size that is promised, and those that have as many compressed bytes as a
/// header states (0: none does). A stream that ends early, is
/// damaged, can't hold the promised bytes or continues far beyond them is refused. Inflated bytes
/// are kept up to 1 GiB; beyond, going backwards inflates again from the start.
std::unique_ptr<ByteSource> openInflatedBytes(const std::string& path, std::uint64_t start,
                                              std::uint64_t skip, std::uint64_t promised,
                                              bool trustsSize = false,
                                              std::uint64_t statedBytes = 0);

std::unique_ptr<ByteSource> memoryBytes(std::vector<std::byte> bytes);

/// All of a regular file. Throws FileError, also where a read fails midway.
std::string wholeText(const std::string& path);

/// Up to `bytes` of the beginning of a file, inflated when the file is gzip.
std::string readBeginning(const std::string& path, std::size_t bytes);

} // namespace systole
