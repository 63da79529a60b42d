#include "io/meshes/vtp_data.h"

#include "io/base/base64.h"
#include "io/base/messages.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <zlib.h>

namespace systole::meshes {
namespace {

static_assert(std::endian::native == std::endian::little);

std::uint64_t numberOf(VtpBytes& bytes, const VtpCoding& coding) {
    std::vector<char> raw;
    bytes.take(coding.wideHeader ? 8 : 4, raw);
    std::uint64_t number = 0;
    std::memcpy(&number, raw.data(), raw.size());
    return number;
}

FileError wrongSize(const std::string& path, std::uint64_t found, std::size_t expected) {
    return fileError(path, "an array has {} bytes; expected {}", found, expected);
}

/// Blocks of one size, and a last one that may be shorter: their numbers, their deflated sizes, and
/// then they themselves.
std::vector<char> inflated(const std::string& path, VtpBytes& bytes, const VtpCoding& coding,
                           std::size_t size) {
    const std::uint64_t blocks = numberOf(bytes, coding);
    const std::uint64_t blockBytes = numberOf(bytes, coding);
    const std::uint64_t lastBytes = numberOf(bytes, coding);
    if (blocks == 0 && size == 0)
        return {};
    const std::uint64_t whole = lastBytes > 0 ? blocks - 1 : blocks;
    const bool fits = blocks > 0 && blocks <= size && blockBytes > 0 &&
                      blockBytes <= size + (1u << 20) &&
                      lastBytes < blockBytes + (lastBytes == size ? 1u : 0u) &&
                      whole <= size / blockBytes && whole * blockBytes + lastBytes == size;
    if (!fits)
        throw fileError(path, "the blocks of an array don't add up to {} bytes", size);
    std::vector<std::uint64_t> deflated;
    for (std::uint64_t i = 0; i < blocks; ++i)
        deflated.push_back(numberOf(bytes, coding));
    std::vector<char> data, block;
    data.reserve(size); // takes no memory before there are blocks that fill it
    for (const std::uint64_t count : deflated) {
        bytes.take(count, block);
        const std::size_t at = data.size();
        uLongf got = static_cast<uLongf>(std::min<std::size_t>(blockBytes, size - at));
        data.resize(at + got);
        const uLongf expected = got;
        if (uncompress(reinterpret_cast<Bytef*>(data.data() + at), &got,
                       reinterpret_cast<const Bytef*>(block.data()),
                       static_cast<uLong>(block.size())) != Z_OK ||
            got != expected)
            throw fileError(path, "a compressed block of an array is damaged");
    }
    return data;
}

} // namespace

void VtpBytes::takeGroup() {
    std::array<int, 4> digits{};
    std::size_t count = 0, padding = 0;
    while (count + padding < 4 && !rest_.empty()) {
        const char c = rest_.front();
        if (c == '=' && count >= 2)
            ++padding;
        else if (const int digit = base64Digit(c); digit >= 0 && padding == 0)
            digits[count++] = digit;
        else if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
            break;
        rest_.remove_prefix(1);
    }
    if (count + padding < 4)
        throw fileError(path_, "an array ends early, or isn't base64");
    const int bits = digits[0] << 18 | digits[1] << 12 | digits[2] << 6 | digits[3];
    decoded_.clear();
    given_ = 0;
    for (std::size_t i = 0; i + 1 < count; ++i)
        decoded_.push_back(static_cast<char>(bits >> (16 - 8 * i) & 0xff));
}

void VtpBytes::take(std::size_t count, std::vector<char>& out) {
    if (count > rest_.size() + decoded_.size()) // also keeps a damaged size from taking memory
        throw fileError(path_, "the file ends within an array");
    out.resize(count);
    if (!base64_) {
        std::copy_n(rest_.data(), count, out.data());
        rest_.remove_prefix(count);
        return;
    }
    for (char& byte : out) {
        if (given_ == decoded_.size())
            takeGroup();
        byte = decoded_[given_++];
    }
}

std::vector<char> readVtpArray(const std::string& path, std::string_view content,
                               const VtpCoding& coding, std::size_t bytes) {
    VtpBytes source(path, content, coding.base64);
    // Deflate packs zeros 1000 to 1, but points and polygons of a surface hardly 6 to 1.
    constexpr std::size_t highestRatio = 16, alwaysRead = std::size_t{32} << 20;
    if (bytes > alwaysRead && bytes / highestRatio > content.size())
        throw fileError(path, "an array of {} bytes doesn't fit into the file", bytes);
    if (coding.deflated)
        return inflated(path, source, coding, bytes);
    const std::uint64_t stored = numberOf(source, coding);
    if (stored != bytes)
        throw wrongSize(path, stored, bytes);
    std::vector<char> data;
    source.take(bytes, data);
    return data;
}

std::vector<char> readVtpText(const std::string& path, std::string_view content,
                              const VtpCoding& coding, std::size_t maxBytes) {
    VtpBytes source(path, content, coding.base64);
    std::uint64_t bytes = numberOf(source, coding);
    if (coding.deflated) {
        const std::uint64_t blocks = bytes;
        const std::uint64_t whole = numberOf(source, coding), last = numberOf(source, coding);
        // VTK's blocks have 32 kB: a short text fills one.
        bytes = blocks == 0 ? 0 : last > 0 ? last : whole;
        if (blocks > 1)
            bytes = maxBytes + 1;
    }
    if (bytes > maxBytes)
        throw fileError(path, "a text of its field data is longer than {} bytes", maxBytes);
    return readVtpArray(path, content, coding, bytes);
}

} // namespace systole::meshes
