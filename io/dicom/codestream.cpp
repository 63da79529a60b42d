#include "io/dicom/codestream.h"

#include "io/base/text.h"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace systole {
namespace {

/// Reads big-endian numbers from a stream; 0 beyond its end.
class Stream {
public:
    explicit Stream(std::span<const std::byte> bytes) : bytes_(bytes) {}
    unsigned byte(std::size_t at) const {
        return at < bytes_.size() ? std::to_integer<unsigned>(bytes_[at]) : 0;
    }
    unsigned two(std::size_t at) const { return byte(at) << 8 | byte(at + 1); }
    unsigned four(std::size_t at) const { return two(at) << 16 | two(at + 2); }
    std::size_t size() const { return bytes_.size(); }

private:
    std::span<const std::byte> bytes_;
};

constexpr unsigned jpegBegin = 0xffd8, jpegScan = 0xffda, jpegLsFrame = 0xfff7;
constexpr unsigned jpeg2000Begin = 0xff4f, jpeg2000Size = 0xff51;

bool isFrameHeader(unsigned marker) {
    if (marker == jpegLsFrame)
        return true;
    // C4, C8 and CC are tables among the frame headers.
    return marker >= 0xffc0 && marker <= 0xffcf && marker != 0xffc4 && marker != 0xffc8 &&
           marker != 0xffcc;
}

bool fits(const CodedImage& image, unsigned columns, unsigned rows, unsigned components,
          unsigned bits) {
    return columns == static_cast<unsigned>(image.columns) &&
           rows == static_cast<unsigned>(image.rows) && components == 1 && bits >= 1 &&
           (image.bitsAllocated == 8 ? bits <= 8 : bits > 8 && bits <= 16);
}

bool jpegDescribes(const Stream& stream, const CodedImage& image) {
    bool described = false;
    for (std::size_t at = 2; at + 4 <= stream.size();) {
        const unsigned marker = stream.two(at);
        if (marker == jpegScan)
            return described;
        if (marker < 0xff00 || stream.two(at + 2) < 2)
            return false;
        if (isFrameHeader(marker)) {
            if (described || !fits(image, stream.two(at + 7), stream.two(at + 5),
                                   stream.byte(at + 9), stream.byte(at + 4)))
                return false;
            described = true;
        }
        at += 2 + stream.two(at + 2);
    }
    return false;
}

bool jpeg2000Describes(const Stream& stream, const CodedImage& image) {
    constexpr std::size_t size = 2; // bytes of the preceding marker
    const std::size_t at = size + 6;
    const bool atOrigin = stream.four(at + 8) == 0 && stream.four(at + 12) == 0 &&
                          stream.four(at + 24) == 0 && stream.four(at + 28) == 0;
    const bool fullResolution = stream.byte(at + 35) == 1 && stream.byte(at + 36) == 1;
    return stream.two(size) == jpeg2000Size && atOrigin && fullResolution &&
           fits(image, stream.four(at), stream.four(at + 4), stream.two(at + 32),
                (stream.byte(at + 34) & 0x7f) + 1);
}

/// One segment of run lengths: every byte plane of the image is one.
bool unpackBits(std::span<const std::byte> packed, std::span<std::byte> out, std::size_t stride) {
    std::size_t in = 0, at = 0;
    const std::size_t pixels = (out.size() + stride - 1) / stride;
    while (at < pixels) {
        if (in >= packed.size())
            return false;
        const int byte = std::to_integer<int>(packed[in++]), code = byte < 128 ? byte : byte - 256;
        if (code == -128)
            continue;
        const auto count = static_cast<std::size_t>(code >= 0 ? code + 1 : 1 - code);
        const std::size_t taken = code >= 0 ? count : 1;
        if (count > pixels - at || taken > packed.size() - in)
            return false;
        for (std::size_t i = 0; i < count; ++i)
            out[(at + i) * stride] = packed[in + (code >= 0 ? i : 0)];
        in += taken;
        at += count;
    }
    return true;
}

} // namespace

DicomCoding codingOf(const std::string& syntax) {
    if (syntax == "1.2.840.10008.1.2.5")
        return DicomCoding::RunLength;
    for (const char* jpeg :
         {"1.2.840.10008.1.2.4.50", "1.2.840.10008.1.2.4.51", "1.2.840.10008.1.2.4.57",
          "1.2.840.10008.1.2.4.70", "1.2.840.10008.1.2.4.80", "1.2.840.10008.1.2.4.81"})
        if (syntax == jpeg)
            return DicomCoding::Jpeg;
    if (syntax == "1.2.840.10008.1.2.4.90" || syntax == "1.2.840.10008.1.2.4.91")
        return DicomCoding::Jpeg2000;
    return DicomCoding::Other;
}

std::string syntaxName(const std::string& syntax) {
    constexpr std::pair<std::string_view, const char*> names[] = {
        {"1.2.840.10008.1.2.4.100", "MPEG-2"},
        {"1.2.840.10008.1.2.4.101", "MPEG-2"},
        {"1.2.840.10008.1.2.4.102", "MPEG-4"},
        {"1.2.840.10008.1.2.4.103", "MPEG-4"},
        {"1.2.840.10008.1.2.4.104", "MPEG-4"},
        {"1.2.840.10008.1.2.4.105", "MPEG-4"},
        {"1.2.840.10008.1.2.4.106", "MPEG-4"},
        {"1.2.840.10008.1.2.4.107", "HEVC"},
        {"1.2.840.10008.1.2.4.108", "HEVC"},
        {"1.2.840.10008.1.2.4.110", "JPEG XL"},
        {"1.2.840.10008.1.2.4.111", "JPEG XL"},
        {"1.2.840.10008.1.2.4.112", "JPEG XL"},
        {"1.2.840.10008.1.2.4.201", "HTJ2K"},
        {"1.2.840.10008.1.2.4.202", "HTJ2K"},
        {"1.2.840.10008.1.2.4.203", "HTJ2K"},
        {"1.2.840.10008.1.2.4.94", "JPIP"},
        {"1.2.840.10008.1.2.4.95", "JPIP"},
        {"1.2.840.10008.1.2.4.92", "JPEG 2000 part 2"},
        {"1.2.840.10008.1.2.4.93", "JPEG 2000 part 2"}};
    for (const auto& [uid, name] : names)
        if (syntax == uid)
            return std::string(name) + ", " + inQuotes(syntax);
    return inQuotes(syntax);
}

bool beginsStream(DicomCoding coding, std::span<const std::byte> fragment) {
    const unsigned begin = Stream(fragment).two(0);
    return coding == DicomCoding::RunLength ||
           (coding == DicomCoding::Jpeg && begin == jpegBegin) ||
           (coding == DicomCoding::Jpeg2000 && begin == jpeg2000Begin);
}

bool describes(DicomCoding coding, std::span<const std::byte> bytes, const CodedImage& image) {
    const Stream stream(bytes);
    return coding == DicomCoding::Jpeg       ? jpegDescribes(stream, image)
           : coding == DicomCoding::Jpeg2000 ? jpeg2000Describes(stream, image)
                                             : coding == DicomCoding::RunLength;
}

bool decodeRunLengths(std::span<const std::byte> stream, const CodedImage& image,
                      std::span<std::byte> out) {
    constexpr std::size_t headerBytes = 64; // a count and fifteen offsets
    const auto planes = static_cast<std::size_t>(image.bitsAllocated / 8);
    if (stream.size() < headerBytes)
        return false;
    std::uint32_t header[16];
    std::memcpy(header, stream.data(), headerBytes);
    if (header[0] != planes)
        return false;
    for (std::size_t plane = 0; plane < planes; ++plane) {
        const std::size_t begin = header[1 + plane];
        const std::size_t end = plane + 1 < planes ? header[2 + plane] : stream.size();
        if (begin < headerBytes || begin > end || end > stream.size() ||
            !unpackBits(stream.subspan(begin, end - begin), out.subspan(planes - 1 - plane),
                        planes))
            return false;
    }
    return true;
}

} // namespace systole
