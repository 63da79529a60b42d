// What the readers of landmark files share: lines, words and numbers, with errors that name the
// line.
#pragma once

#include "compute/core/geometry.h"
#include "io/messages.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace systole::landmarks {

inline constexpr std::size_t mostPoints = 1'000'000;
/// Positions in a file of tracks, over all frames of all tracks.
inline constexpr std::size_t mostTrackRows = 20'000'000;

struct Line {
    std::string_view text; ///< trimmed, not empty
    int number = 0;        ///< in the file, from 1
};

/// A whole text file. Throws FileError for an empty one, one beyond 256 MiB or with
/// lines beyond 64 KiB, and what isn't text.
std::string readText(const std::string& path);
/// The next line that isn't empty; nothing at the end.
class LineReader {
public:
    explicit LineReader(std::string_view text) : rest_(text) {}
    std::optional<Line> next();

private:
    std::string_view rest_;
    int number_ = 0;
};
/// All lines. Throws FileError for more than points and comments may take.
std::vector<Line> linesOf(const std::string& path, std::string_view text);

/// A fileError() whose sentence begins with the line.
template <typename... Values>
FileError lineError(const std::string& path, int line,
                    fmt::format_string<const Values&...> sentence, const Values&... values) {
    return fileError(path, "line {}: {}", line, fmt::format(sentence, values...));
}

/// A coordinate in mm or voxels. Throws FileError for what is no finite number of a sensible size.
double coordinate(const std::string& path, int line, std::string_view word);

/// Throws FileError where the numbers of the line have commas as decimal points.
void refuseDecimalCommas(const std::string& path, const Line& line);

/// Values of comment lines "# key: value" or "# key = value"; keys in lower case, of those that
/// readers know.
using Comments = std::map<std::string, std::string, std::less<>>;
void addComment(Comments& comments, std::string_view line);

/// "LPS" or "RAS", also as Slicer's numbers 1 and 0. Throws FileError for another frame.
bool isRas(const std::string& path, std::string_view frame);
/// Throws FileError unless the unit is mm.
void requireMillimeters(const std::string& path, std::string_view unit);
/// RAS to LPS and back.
inline Vec3 mirrored(Vec3 p) { return {-p.x, -p.y, p.z}; }

/// A count or a frame of a comment or name. Throws FileError unless it is 0 to 1,000,000.
int smallNumber(const std::string& path, std::string_view what, std::string_view text);

/// Fields of a line of CSV; quoted ones may contain separators and doubled quotes.
std::vector<std::string> csvFields(const std::string& path, const Line& line, char separator);
/// The field as it is written, in quotes where needed; control characters become spaces.
std::string csvField(const std::string& text);

} // namespace systole::landmarks
