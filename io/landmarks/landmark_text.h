// Helpers that the readers of landmark files share: lines, words and numbers, with errors that name
// the line.
#pragma once

#include "compute/core/geometry.h"
#include "io/base/messages.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace systole::landmarks {

inline constexpr std::size_t maxPoints = 1'000'000;
/// Positions in a file of tracks, over all frames of all tracks.
inline constexpr std::size_t maxTrackRows = 20'000'000;

struct Line {
    std::string_view text; ///< not empty; without blanks around it, but with tabs: of empty cells
    int number = 0;        ///< number in the file, from 1
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

/// Whether the word is a number if its only comma, between digits, is taken for a point.
bool isNumberWithComma(std::string_view word);

/// Throws FileError where the numbers of the line have commas as decimal points.
void refuseDecimalCommas(const std::string& path, const Line& line);

/// The decimal sign of the numbers in a table whose fields are separated by semicolons or tabs: a
/// comma is one there, but not in some numbers, and a point in others.
class DecimalSigns {
public:
    /// Turns the comma of a number into a point. Throws FileError where the table has both.
    void normalize(const std::string& path, const Line& line, std::string& field);
    bool commas() const { return comma_; }

private:
    bool comma_ = false, point_ = false;
};

/// The separator of a table's fields according to its first line: semicolons, tabs between fields,
/// else commas.
char separatorOf(std::string_view line);

/// Values of comment lines "# key: value" or "# key = value"; keys in lower case, of those that
/// readers know.
using Comments = std::map<std::string, std::string, std::less<>>;
/// Throws FileError where a key gets two values.
void addComment(const std::string& path, Comments& comments, const Line& line);

/// "LPS" or "RAS", also as Slicer's numbers 1 and 0. Throws FileError for another frame.
bool isRas(const std::string& path, std::string_view frame);
/// Throws FileError unless the unit is mm; `meaning` is what the file calls another one, if it
/// does.
void requireMillimeters(const std::string& path, std::string_view unit,
                        std::string_view meaning = {});
/// RAS to LPS and back.
inline Vec3 mirrored(Vec3 p) { return {-p.x, -p.y, p.z}; }

/// A count or a frame of a comment or name. Throws FileError unless it is 0 to 1,000,000.
int smallNumber(const std::string& path, std::string_view what, std::string_view text);

/// Fields of a line of CSV; quoted ones may contain separators and doubled quotes.
std::vector<std::string> csvFields(const std::string& path, const Line& line, char separator);
/// The field as it is written, in quotes where needed; control characters become spaces.
std::string csvField(const std::string& text);
/// A name as a field of a table that spreadsheets open: a name that they would take for a formula
/// (= + - @) gets an apostrophe before it, which nameInCsv() removes.
std::string csvName(const std::string& name);
std::string nameInCsv(const std::string& field);

} // namespace systole::landmarks
