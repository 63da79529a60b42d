// The data elements of a DICOM file up to its pixels, read by walking the file: lengths are checked
// against the file before anything of that length is allocated.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace systole {

/// A tag and how its value is coded when the file doesn't say (implicit transfer syntax).
struct DicomTag {
    std::uint16_t group = 0, element = 0;
    const char* representation = "LO";
    std::uint32_t code() const { return std::uint32_t{group} << 16 | element; }
};

class DicomItem {
public:
    /// The value as text without padding; empty when it is absent.
    std::string text(DicomTag tag) const;
    /// All numbers of the value; empty when it is absent or not numeric.
    std::vector<double> numbers(DicomTag tag) const;
    std::optional<double> number(DicomTag tag) const;
    /// The items of a sequence; empty when it is absent.
    const std::vector<DicomItem>& items(DicomTag tag) const;
    /// The number in this item or in any item below it.
    std::vector<double> numbersAnywhere(DicomTag tag) const;

    struct Value {
        std::string representation; ///< two letters, or empty when the file doesn't say
        std::string bytes;
    };
    std::map<std::uint32_t, Value> values;
    std::map<std::uint32_t, std::vector<DicomItem>> sequences;
};

/// Where the pixels of a file lie, and how they are coded.
struct DicomPixels {
    std::string path;
    std::string transferSyntax;
    bool hasPixels = false;
    bool encapsulated = false;     ///< compressed pixels in fragments
    std::uint64_t pixelOffset = 0; ///< file offset of the first pixel, unless encapsulated
    std::uint64_t pixelBytes = 0;  ///< as declared
    /// Where the fragments of compressed pixels lie, without the table of offsets before them.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> fragments; ///< offset in the file, bytes
    std::uint64_t fileBytes = 0;
};

struct DicomFile : DicomPixels {
    DicomItem elements;
};

/// Whether a file has the DICOM prefix. Throws FileError when it can't be read.
bool isDicomFile(const std::string& path);
/// Throws FileError for a file that is truncated before its pixels or malformed.
DicomFile readDicomFile(const std::string& path);

} // namespace systole
