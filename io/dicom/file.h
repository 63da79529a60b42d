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
    /// The text in this item or in any item below it.
    std::string textAnywhere(DicomTag tag) const;
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

/// Position and coding of a file's pixels.
struct DicomPixels {
    std::string path;
    std::string transferSyntax;
    bool hasPixels = false;
    bool encapsulated = false; ///< compressed pixels in fragments
    bool bigEndian = false;
    bool withoutHeader = false; ///< how its elements are coded was found by their look
    /// Not 0: where the deflated data set begins in the file. All other offsets and sizes are those
    /// in its inflated bytes.
    std::uint64_t deflatedFrom = 0;
    std::uint64_t pixelOffset = 0; ///< file offset of the first pixel, unless encapsulated
    std::uint64_t pixelBytes = 0;  ///< size that the file declares
    /// Fragments of compressed pixels, without the table of offsets before them.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> fragments; ///< offset in the file, bytes
    std::uint64_t fileBytes = 0;
};

struct DicomFile : DicomPixels {
    DicomItem elements;
    std::string damage; ///< the sentence of an error behind the elements that name the series
};

/// Whether a file has the DICOM prefix, or begins as a data set without a header does. Throws
/// FileError when it can't be read.
bool isDicomFile(const std::string& path);
/// Throws FileError for a file that is truncated or malformed before the series is named.
DicomFile readDicomFile(const std::string& path);

} // namespace systole
