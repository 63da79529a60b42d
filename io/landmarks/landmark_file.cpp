#include "io/landmarks/landmark_file.h"

#include "io/base/messages.h"
#include "io/base/output_file.h"
#include "io/landmarks/landmark_formats.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>

namespace systole {
namespace {

/// Format according to the first lines; the extension decides where they are ambiguous.
LandmarkFormat formatOf(const std::string& path, const std::string& text) {
    const std::string_view content = trimmed(text);
    if (content.starts_with('{'))
        return LandmarkFormat::Markups;
    const std::string lower = lowerCase(path);
    if (lower.ends_with(".fcsv") ||
        lowerCase(content.substr(0, 40)).starts_with("# markups fiducial"))
        return LandmarkFormat::Fcsv;
    const std::vector<std::string> first =
        words(content.substr(0, std::min(content.find('\n'), content.size())));
    const std::string kind = lowerCase(first.front());
    const auto isNumber = [](const std::string& word) { return parseReal(word).has_value(); };
    if (kind == "point" || kind == "index" || (first.size() == 1 && parseInteger(first.front())))
        return LandmarkFormat::Elastix;
    if (first.size() == 3 && std::ranges::all_of(first, isNumber))
        return LandmarkFormat::DirLab;
    return LandmarkFormat::Csv;
}

/// Checks the requirements of every format.
void check(const std::string& path, StoredLandmarks& stored) {
    const std::vector<Landmark>& points = stored.set.points;
    if (points.empty())
        throw fileError(path, "holds no points");
    if (points.size() > landmarks::maxPoints)
        throw fileError(path, "holds {} points; at most {} are read", points.size(),
                        landmarks::maxPoints);
    std::map<std::string, std::size_t, std::less<>> names;
    std::map<std::tuple<double, double, double>, std::size_t> positions;
    std::size_t repeated = 0, repeatedAt = 0, firstAt = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Landmark& p = points[i];
        if (!p.name.empty())
            if (const auto [at, fresh] = names.emplace(p.name, i); !fresh)
                throw fileError(path, "points {} and {} have the same name {}", at->second + 1,
                                i + 1, inQuotes(p.name));
        const auto [at, fresh] =
            positions.emplace(std::tuple(p.position.x, p.position.y, p.position.z), i);
        if (!fresh && repeated++ == 0) {
            firstAt = at->second + 1;
            repeatedAt = i + 1;
        }
    }
    if (repeated > 0)
        addNote(stored.notes, "{} of its points lie where another does, such as {} and {}",
                repeated, firstAt, repeatedAt);
}

/// How a format is read and written.
struct FormatRow {
    const char* name;
    /// Extension that selects it for writing; null: only an explicit format does.
    const char* extension;
    landmarks::Read* read;
    landmarks::Text* text;
};
/// Formats in the order of LandmarkFormat.
constexpr FormatRow rows[] = {
    {"DIR-Lab voxel indices", nullptr, landmarks::readDirLab, landmarks::dirLabText},
    {"Slicer markups", ".mrk.json", landmarks::readMarkups, landmarks::markupsText},
    {"Slicer fiducials", ".fcsv", landmarks::readFcsv, landmarks::fcsvText},
    {"elastix points", ".txt", landmarks::readElastix, landmarks::elastixText},
    {"CSV", ".csv", landmarks::readCsv, landmarks::csvText}};

const FormatRow& rowOf(LandmarkFormat format) { return rows[static_cast<std::size_t>(format)]; }

/// The row whose extension the name has; null: none.
const FormatRow* rowByName(const std::string& path) {
    const std::string lower = lowerCase(path);
    const auto found = std::ranges::find_if(rows, [&](const FormatRow& row) {
        return row.extension && lower.ends_with(row.extension);
    });
    return found == std::end(rows) ? nullptr : found;
}

const FormatRow& rowToWrite(const std::string& path, std::optional<LandmarkFormat> format) {
    const FormatRow* const named = rowByName(path);
    if (!named && !format)
        throw fileError(path, "has none of the extensions of points that are written: .mrk.json, "
                              ".fcsv, .csv, .txt (elastix)");
    const FormatRow& row = format ? rowOf(*format) : *named;
    const std::string_view extension = row.extension ? row.extension : ".txt";
    if (named && named->extension != extension)
        throw fileError(path,
                        "is the name of a file of {}, not of {}; choose one that ends with {}",
                        named->name, row.name, extension);
    return row;
}

/// Throws FileError unless the written text reads back as it was: formats differ in the names that
/// they can hold, and others may become equal.
void requireReadable(const std::string& path, const FormatRow& row, const std::string& text,
                     const LandmarkWriteOptions& options) {
    try {
        StoredLandmarks again = row.read(path, text, {.grid = options.grid});
        check(path, again);
    } catch (const FileError& error) {
        throw FileError(fmt::format("{} (as it would be read again as {}; nothing was written)",
                                    error.what(), row.name));
    }
}

} // namespace

const char* name(LandmarkFormat format) { return rowOf(format).name; }

StoredLandmarks readLandmarks(const std::string& path, const LandmarkReadOptions& options) {
    const std::string text = landmarks::readText(path);
    const LandmarkFormat format = formatOf(path, text);
    StoredLandmarks stored = rowOf(format).read(path, text, options);
    stored.format = format;
    check(path, stored);
    return stored;
}

void writeLandmarks(const std::string& path, const LandmarkSet& set,
                    const LandmarkWriteOptions& options) {
    const FormatRow& row = rowToWrite(path, options.format);
    const std::string text = row.text(path, set, options);
    requireReadable(path, row, text, options);
    writeTextAtomically(path, text);
}

} // namespace systole
