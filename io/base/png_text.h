// Texts in PNG files: adding them to a file in memory, and reading those of a file that may be
// hostile.
#pragma once

#include <string>
#include <vector>

namespace systole {

struct PngText {
    std::string keyword; ///< 1 to 79 printable ASCII characters, "Title"
    std::string text;    ///< UTF-8
    bool operator==(const PngText&) const = default;
};

/// The bytes of a PNG file with these texts after its header: as tEXt where they are ASCII, else as
/// iTXt. Requires the complete bytes of a PNG.
std::string withPngTexts(const std::string& png, const std::vector<PngText>& texts);

/// The texts of a PNG file in their order, of all three kinds (tEXt, zTXt, iTXt); Latin-1 is
/// converted to UTF-8. Pixels are skipped, unchecked. Throws FileError for what isn't a PNG file,
/// is damaged, or has more text than any picture of ours.
std::vector<PngText> readPngTexts(const std::string& path);

} // namespace systole
