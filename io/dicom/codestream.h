// Compressed pixels before a decoder sees them: what a JPEG or JPEG 2000 stream declares, and
// run lengths, which are simple enough to decode here. Decoders trust the size in the stream, so it
// must be that of the DICOM header.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace systole {

enum class DicomCoding { RunLength, Jpeg, Jpeg2000, Other };
DicomCoding codingOf(const std::string& transferSyntax);
/// The usual name of a transfer syntax that isn't read, and its UID.
std::string syntaxName(const std::string& transferSyntax);

struct CodedImage {
    int columns = 0, rows = 0;
    int bitsAllocated = 0; ///< 8 or 16
};

/// Whether a fragment begins the stream of an image: one frame may be cut into several fragments.
bool beginsStream(DicomCoding coding, std::span<const std::byte> fragment);
/// Whether the stream declares one grayscale image of this size and bytes per pixel.
bool describes(DicomCoding coding, std::span<const std::byte> stream, const CodedImage& image);

/// Decodes one frame (PackBits, most significant bytes first) into out, little endian; false when
/// the stream is damaged. out.size() is the size of the frame.
bool decodeRunLengths(std::span<const std::byte> stream, const CodedImage& image,
                      std::span<std::byte> out);

} // namespace systole
