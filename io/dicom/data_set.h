// The beginning of a DICOM file's data set and the coding of its elements: after the header of a
// file (part 10 of the standard), without one, or deflated.
#pragma once

#include "io/base/byte_source.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace systole {

namespace transferSyntax {
inline constexpr const char* implicitLittle = "1.2.840.10008.1.2";
inline constexpr const char* explicitLittle = "1.2.840.10008.1.2.1";
inline constexpr const char* deflated = "1.2.840.10008.1.2.1.99";
inline constexpr const char* explicitBig = "1.2.840.10008.1.2.2";
/// GE's private syntax: elements as in implicitLittle, pixels big endian.
inline constexpr const char* privateOfGe = "1.2.840.113619.5.2";
} // namespace transferSyntax

/// Offset of a file's first element: after the preamble and the letters DICM, after these letters
/// only, or 0; nullopt: the file doesn't look like DICOM.
std::optional<std::uint64_t> firstElementOf(const InputFile& file);

/// How the elements from `at` on are coded, by their look: one of transferSyntax; empty: they don't
/// look like elements.
std::string codingByLook(const InputFile& file, std::uint64_t at);

/// The data set that begins, deflated, at `start`. Throws FileError for damaged data, and for more
/// than 1 GiB of them.
std::vector<std::byte> inflatedDataSet(const std::string& path, std::uint64_t start);

/// The bytes to which the offsets of a data set refer.
class DataSetBytes {
public:
    explicit DataSetBytes(const std::string& path) : file_(path) {}
    /// Replaces the file's bytes by those of the data set that begins, deflated, at `start`.
    void inflateFrom(std::uint64_t start) { inflated_ = inflatedDataSet(file_.path(), start); }

    const InputFile& file() const { return file_; }
    const std::string& path() const { return file_.path(); }
    std::uint64_t size() const { return inflated_ ? inflated_->size() : file_.size(); }
    /// Equivalents of InputFile::readSome() and text() for the data set's bytes.
    std::size_t readSome(std::uint64_t offset, std::span<std::byte> out) const;
    std::string text(std::uint64_t offset, std::uint64_t maxBytes) const;

private:
    InputFile file_;
    std::optional<std::vector<std::byte>> inflated_;
};

/// Whether the value of an explicitly coded element has its length in four bytes after two that are
/// reserved.
bool hasLongLength(const std::string& representation);

} // namespace systole
