// Points as comma-separated values, with or without a header.
#include "io/base/messages.h"
#include "io/landmarks/landmark_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace systole::landmarks {
namespace {

struct Columns {
    std::array<std::size_t, 3> axes{0, 1, 2};
    std::optional<std::size_t> name{};
    std::size_t count = 3;
    /// The header names its axes R, A, S (true) or L, P, S (false).
    std::optional<bool> ras{};
    bool indices = false;                 ///< the header names them i, j, k
    std::optional<std::size_t> defined{}; ///< Slicer's: 0 where a point isn't placed
};

/// "x" of "x", "X [mm]", "x_mm"; the unit is checked.
std::string axisName(const std::string& path, const std::string& title) {
    const std::string lower = lowerCase(title);
    const std::size_t end = std::min(lower.find_first_of("_ [("), lower.size());
    const std::string name = lower.substr(0, end);
    if (name.size() != 1)
        return lower;
    std::string unit = lower.substr(end);
    std::erase_if(
        unit, [](char c) { return std::string_view("_ []()").find(c) != std::string_view::npos; });
    if (unit == "lps" || unit == "ras")
        return name + unit;
    if (!unit.empty())
        requireMillimeters(path, unit);
    return name;
}

/// Nothing if the line is no header.
std::optional<Columns> headerOf(const std::string& path, const Line& line,
                                const std::vector<std::string>& titles) {
    constexpr std::array<std::array<const char*, 3>, 6> triples{{{"x", "y", "z"},
                                                                 {"xlps", "ylps", "zlps"},
                                                                 {"l", "p", "s"},
                                                                 {"xras", "yras", "zras"},
                                                                 {"r", "a", "s"},
                                                                 {"i", "j", "k"}}};
    constexpr std::array names{"name", "label", "landmark", "id", "point"};
    if (std::ranges::any_of(titles, [](const std::string& title) {
            return parseReal(title).has_value() || isNumberWithComma(title);
        }))
        return {};
    std::vector<std::string> axes;
    for (const std::string& title : titles)
        axes.push_back(axisName(path, title));
    const auto once = [&](auto at) {
        if (std::ranges::count(axes, *at) > 1)
            throw lineError(path, line.number, "names the column {} more than once", inQuotes(*at));
        return static_cast<std::size_t>(at - axes.begin());
    };
    Columns columns;
    columns.count = titles.size();
    for (std::size_t triple = 0; triple < triples.size(); ++triple) {
        std::size_t found = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto at = std::ranges::find(axes, triples[triple][axis]);
            if (at == axes.end())
                continue;
            columns.axes[axis] = static_cast<std::size_t>(at - axes.begin());
            ++found;
        }
        if (found < 3)
            continue;
        for (const char* axis : triples[triple])
            once(std::ranges::find(axes, axis));
        columns.indices = triple == 5;
        if (triple > 0 && !columns.indices)
            columns.ras = triple >= 3;
        for (const char* name : names)
            if (const auto at = std::ranges::find(axes, name); at != axes.end() && !columns.name)
                columns.name = once(at);
        if (const auto at = std::ranges::find(axes, "defined"); at != axes.end())
            columns.defined = once(at);
        return columns;
    }
    return {};
}

/// The columns of a file without a header, from its first row.
Columns columnsOf(const std::string& path, const Line& line,
                  const std::vector<std::string>& fields) {
    const auto isNumber = [](const std::string& field) {
        return parseReal(field).has_value() || isNumberWithComma(field);
    };
    if (fields.size() == 3)
        return {};
    if (fields.size() == 4 && !isNumber(fields.front()))
        return {{1, 2, 3}, 0, 4, {}};
    if (fields.size() == 4 && !isNumber(fields.back()))
        return {{0, 1, 2}, 3, 4, {}};
    const bool numbers = std::ranges::all_of(fields, isNumber);
    throw lineError(path, line.number,
                    "has {} columns and no header says which are x, y and z; expected are x, y, z "
                    "and perhaps a name{}",
                    fields.size(),
                    numbers && fields.size() >= 6 ? " (are there commas as decimal points?)" : "");
}

/// Whether the point of a row is placed, by Slicer's column of 1 and 0.
bool isDefined(const std::string& path, const Line& line, const std::string& text) {
    if (text != "0" && text != "1" && !text.empty())
        throw lineError(path, line.number, "'defined' is {}; 0 or 1 is expected", inQuotes(text));
    return text != "0";
}

/// The separator in the line "sep=;", which spreadsheets write first; nullopt: another line.
std::optional<char> statedSeparator(std::string_view line) {
    const std::string lower = lowerCase(line);
    return lower.size() == 5 && lower.starts_with("sep=") ? std::optional(lower.back())
                                                          : std::nullopt;
}

/// Turns the numbers of the rows into LPS mm by what options, comments and header say.
void placePoints(const std::string& path, const std::vector<int>& lines, const Columns& columns,
                 const Comments& comments, const LandmarkReadOptions& options,
                 StoredLandmarks& stored) {
    using enum LandmarkCoordinates;
    if (options.coordinates == IndexFromZero || options.coordinates == IndexFromOne ||
        (options.coordinates == Auto && columns.indices)) {
        stored.grid = gridOfIndices(path, options, "voxel indices");
        const int first = options.coordinates == IndexFromOne ? 1 : 0;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            Vec3& position = stored.set.points[i].position;
            position = pointAt(path, lines[i], *stored.grid, position, first);
        }
        return;
    }
    if (const auto unit = comments.find("units"); unit != comments.end())
        requireMillimeters(path, unit->second);
    const auto system = comments.find("coordinatesystem");
    bool ras = columns.ras.value_or(false);
    if (system != comments.end()) {
        const bool said = isRas(path, system->second);
        if (columns.ras && said != ras)
            throw fileError(path, "its comment and its header name different coordinate systems");
        ras = said;
    } else if (!columns.ras) {
        stored.notes.push_back("no coordinate system is named; LPS mm is assumed");
    }
    if (ras)
        for (Landmark& landmark : stored.set.points)
            landmark.position = mirrored(landmark.position);
}

} // namespace

Vec3 positionIn(const std::string& path, int line, const std::vector<std::string>& fields,
                const std::array<std::size_t, 3>& columns) {
    Vec3 position;
    for (int axis = 0; axis < 3; ++axis)
        position[axis] = coordinate(path, line, fields[columns[static_cast<std::size_t>(axis)]]);
    return position;
}

StoredLandmarks readCsv(const std::string& path, const std::string& text,
                        const LandmarkReadOptions& options) {
    StoredLandmarks stored;
    std::vector<int> lines;
    Comments comments;
    std::optional<Columns> columns;
    std::optional<char> separator;
    DecimalSigns decimals;
    int missing = 0;
    for (const Line& line : linesOf(path, text)) {
        if (line.text.starts_with('#')) {
            addComment(path, comments, line);
            continue;
        }
        if (!separator) {
            separator = statedSeparator(line.text);
            if (separator)
                continue;
            separator = separatorOf(line.text);
        }
        std::vector<std::string> fields = csvFields(path, line, *separator);
        if (!columns) {
            columns = headerOf(path, line, fields);
            if (columns)
                continue;
        }
        if (*separator == ',')
            refuseDecimalCommas(path, line);
        if (!columns)
            columns = columnsOf(path, line, fields);
        if (fields.size() != columns->count)
            throw lineError(path, line.number, "has {} columns where {} are expected",
                            fields.size(), columns->count);
        if (columns->defined && !isDefined(path, line, fields[*columns->defined])) {
            ++missing; // its coordinates mean nothing
            continue;
        }
        if (*separator != ',')
            for (const std::size_t axis : columns->axes)
                decimals.normalize(path, line, fields[axis]);
        Landmark landmark;
        landmark.position = positionIn(path, line.number, fields, columns->axes);
        if (columns->name)
            landmark.name = nameInCsv(fields[*columns->name]);
        stored.set.points.push_back(std::move(landmark));
        lines.push_back(line.number);
    }
    if (missing > 0)
        addNote(stored.notes, "{} of its points have no position and are left out", missing);
    if (decimals.commas())
        stored.notes.push_back("its numbers have commas as decimal points");
    if (const auto frame = comments.find("frame"); frame != comments.end())
        stored.set.frame = smallNumber(path, "frame", frame->second);
    placePoints(path, lines, columns.value_or(Columns{}), comments, options, stored);
    return stored;
}

std::string csvText(const std::string&, const LandmarkSet& set, const LandmarkWriteOptions&) {
    std::string text = "# coordinateSystem: LPS\n# units: mm\n";
    if (set.frame >= 0)
        text += fmt::format("# frame: {}\n", set.frame);
    text += "name,x,y,z\n";
    for (const Landmark& landmark : set.points)
        text += fmt::format("{},{},{},{}\n", csvName(landmark.name), landmark.position.x,
                            landmark.position.y, landmark.position.z);
    return text;
}

} // namespace systole::landmarks
