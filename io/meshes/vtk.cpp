// VTK's legacy files of polygonal data, as 3D Slicer saves models: points, polygons and strips, in
// text or big-endian bytes; of version 5 on as offsets and connectivity, before as lists that begin
// with their length. Vertices, lines and the data of points and cells are skipped.
#include "io/base/byte_source.h"
#include "io/base/messages.h"
#include "io/base/voxel_type.h"
#include "io/meshes/mesh_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace systole::meshes {
namespace {

/// More of a line is no line of a header, but numbers of a damaged file.
constexpr std::size_t longestLine = 1000;
constexpr std::string_view beginning = "# vtk DataFile Version";

constexpr std::pair<std::string_view, VoxelType> typeNames[] = {
    {"char", VoxelType::Int8},
    {"signed_char", VoxelType::Int8},
    {"unsigned_char", VoxelType::UInt8},
    {"bit", VoxelType::UInt8}, // each value is a word in files of text
    {"short", VoxelType::Int16},
    {"unsigned_short", VoxelType::UInt16},
    {"int", VoxelType::Int32},
    {"vtkidtype", VoxelType::Int32}, // VTK writes 4 bytes by this name
    {"unsigned_int", VoxelType::UInt32},
    {"long", VoxelType::Int64},
    {"vtktypeint64", VoxelType::Int64},
    {"unsigned_long", VoxelType::UInt64},
    {"vtktypeuint64", VoxelType::UInt64},
    {"float", VoxelType::Float32},
    {"double", VoxelType::Float64}};

/// The words of the next line that isn't empty, in lower case; none at the end.
std::vector<std::string> nextWords(std::string_view& rest) {
    while (!rest.empty())
        if (std::vector<std::string> found =
                words(lowerCase(nextLine(rest).substr(0, longestLine)));
            !found.empty())
            return found;
    return {};
}

/// "dataset polydata" gives "polydata"; empty: there is no such line. `rest` begins with the line
/// of the coding, and ends behind the data set's.
std::string dataSetOf(std::string_view& rest) {
    const std::vector<std::string> line = nextWords(rest);
    return line.size() == 2 && line[0] == "dataset" ? line[1] : std::string();
}

class VtkSurface {
public:
    VtkSurface(const std::string& path, std::string_view content) : path_(path), rest_(content) {
        if (!nextLine(rest_).starts_with(beginning))
            throw fileError(path, "a file in VTK's legacy format begins with {}",
                            inQuotes(beginning));
        addSpaces(nextLine(rest_), stored_.spaces);
        const std::vector<std::string> coding = nextWords(rest_);
        if (coding.size() != 1 || (coding[0] != "ascii" && coding[0] != "binary"))
            throw fileError(path, "the VTK header gives {}; ASCII or BINARY is expected",
                            inQuotes(coding.empty() ? std::string() : coding[0]));
        isText_ = coding[0] == "ascii";
        if (const std::string set = dataSetOf(rest_); set != "polydata")
            throw fileError(path,
                            "holds the data set {}; a surface is POLYDATA, which ParaView's "
                            "filter Extract Surface makes of other cells",
                            inQuotes(set));
    }

    StoredMesh read() {
        for (std::vector<std::string> line = nextWords(rest_); !line.empty();
             line = nextWords(rest_)) {
            const std::string& key = line.front();
            if (key == "points")
                readPoints(line);
            else if (key == "polygons" || key == "triangle_strips")
                readCells(line, key == "triangle_strips");
            else if (key == "vertices" || key == "lines")
                cellsOf(line);
            else if (key == "field")
                readField(line);
            else if (key == "metadata")
                skipMetadata();
            else if (key == "point_data" || key == "cell_data")
                break;
            else
                throw fileError(path_, "has a line {}, which isn't one of a surface",
                                inQuotes(key));
        }
        if (stored_.mesh.points.empty())
            throw fileError(path_, "the surface has no points");
        return std::move(stored_);
    }

private:
    std::size_t countIn(const std::vector<std::string>& line, std::size_t at) const {
        const auto number = at < line.size() ? parseInteger(line[at]) : std::nullopt;
        // Every number takes two bytes of text or at least one.
        if (!number || *number < 0 || static_cast<std::uint64_t>(*number) > rest_.size())
            throw fileError(path_, "{} are announced by {}, which is no count that fits the file",
                            line.front(), inQuotes(at < line.size() ? line[at] : std::string()));
        return static_cast<std::size_t>(*number);
    }

    VoxelType typeNamed(const std::string& text) const {
        const auto* const found = std::ranges::find(typeNames, std::string_view(text),
                                                    [](const auto& row) { return row.first; });
        if (found == std::end(typeNames))
            throw fileError(path_, "numbers as {} aren't read", inQuotes(text));
        return found->second;
    }

    /// `take` gets `count` numbers one after the other.
    template <typename Take>
    void numbers(std::size_t count, VoxelType type, const Take& take) {
        if (isText_) {
            for (std::size_t i = 0; i < count; ++i)
                take(nextReal(path_, rest_));
            return;
        }
        const std::size_t bytes = bytesOf(type);
        if (count > rest_.size() / bytes)
            throw fileError(path_, "the file ends before its last number");
        for (std::size_t i = 0; i < count; ++i)
            take(numberAt(rest_.data() + i * bytes, type, true));
        rest_.remove_prefix(count * bytes);
    }

    std::vector<std::int64_t> wholeNumbers(std::size_t count, VoxelType type) {
        std::vector<std::int64_t> values;
        numbers(count, type, [&](double value) {
            constexpr double beyondAnyIndex = 1e15;
            if (!(value >= 0 && value < beyondAnyIndex) || value != std::floor(value))
                throw fileError(path_, "{:g} is no index of a point or a polygon", value);
            values.push_back(static_cast<std::int64_t>(value));
        });
        return values;
    }

    void readPoints(const std::vector<std::string>& line) {
        if (!stored_.mesh.points.empty())
            throw fileError(path_, "its points are given twice");
        const std::size_t count = countIn(line, 1);
        std::vector<std::array<float, 3>>& points = stored_.mesh.points;
        std::size_t axis = 0;
        numbers(3 * count, typeNamed(line.size() > 2 ? line[2] : std::string()), [&](double value) {
            if (axis == 0)
                points.emplace_back();
            points.back()[axis] = static_cast<float>(value);
            axis = (axis + 1) % 3;
        });
    }

    struct Cells {
        std::vector<std::int64_t> ends, corners;
    };

    /// "polygons COUNT SIZE": the cells behind each other, each with its number of corners before
    /// it. Or, from version 5 on, COUNT is one more than the cells, and two arrays follow.
    Cells cellsOf(const std::vector<std::string>& line) {
        const std::size_t count = countIn(line, 1), size = countIn(line, 2);
        Cells cells;
        if (lowerCase(rest_.substr(0, 8)) == "offsets ") {
            cells.ends = wholeNumbers(count, arrayType(nextWords(rest_)));
            const std::vector<std::string> connectivity = nextWords(rest_);
            if (connectivity.empty() || connectivity[0] != "connectivity")
                throw fileError(path_, "behind the offsets of cells CONNECTIVITY is expected");
            cells.corners = wholeNumbers(size, arrayType(connectivity));
            if (!cells.ends.empty()) {
                if (cells.ends.front() != 0)
                    throw fileError(path_, "the offsets of the polygons don't begin with 0");
                cells.ends.erase(cells.ends.begin());
            }
            return cells;
        }
        const std::vector<std::int64_t> list = wholeNumbers(size, VoxelType::Int32);
        std::size_t at = 0;
        for (std::size_t cell = 0; cell < count; ++cell) {
            const std::int64_t corners = at < list.size() ? list[at] : -1;
            if (corners < 0 || static_cast<std::uint64_t>(corners) > list.size() - at - 1)
                throw fileError(path_, "{} cells don't fit into their list of {} numbers", count,
                                size);
            const auto first = list.begin() + static_cast<std::ptrdiff_t>(at) + 1;
            cells.corners.insert(cells.corners.end(), first, first + corners);
            cells.ends.push_back(static_cast<std::int64_t>(cells.corners.size()));
            at += static_cast<std::size_t>(corners) + 1;
        }
        return cells;
    }

    VoxelType arrayType(const std::vector<std::string>& line) const {
        return typeNamed(line.size() > 1 ? line[1] : std::string());
    }

    void readCells(const std::vector<std::string>& line, bool strips) {
        const Cells cells = cellsOf(line);
        addCells(path_, cells.ends, cells.corners, strips, stored_.mesh);
    }

    /// "field NAME ARRAYS", then for each array a line of name, components, tuples and type, and
    /// its values; one named SPACE holds what the coordinates are.
    void readField(const std::vector<std::string>& line) {
        const std::size_t arrays = countIn(line, 2);
        for (std::size_t n = 0; n < arrays; ++n) {
            std::vector<std::string> array = nextWords(rest_);
            while (!array.empty() && array[0] == "metadata") {
                skipMetadata();
                array = nextWords(rest_);
            }
            if (array.size() != 4)
                throw fileError(path_, "an array of its field data has no line of four words");
            const std::uint64_t components = countIn(array, 1), tuples = countIn(array, 2);
            // A number takes a byte, and a text the end of its line or its length.
            if (components > 0 && tuples > rest_.size() / components)
                throw fileError(path_,
                                "the array {} of its field data holds {} × {} values, which don't "
                                "fit the file",
                                inQuotes(array[0]), components, tuples);
            const std::uint64_t values = components * tuples;
            const bool isSpace = array[0] == "space";
            if (isSpace && values != 1)
                throw fileError(path_, "SPACE in its field data has {} values; one is expected",
                                values);
            if (array[3] == "string") {
                for (std::uint64_t i = 0; i < values; ++i)
                    if (std::string text = nextString(); isSpace)
                        stored_.spaces.push_back(std::move(text));
            } else if (isSpace) {
                throw fileError(path_, "SPACE in its field data is no text, but {}",
                                inQuotes(array[3]));
            } else {
                numbers(values, typeNamed(array[3]), [](double) {});
            }
        }
    }

    /// A line; or, in binary files, a length whose first two bits say how many bytes it has itself,
    /// and the text.
    std::string nextString() {
        if (rest_.empty())
            throw fileError(path_, "the file ends within its field data");
        if (isText_)
            return std::string(trimmed(nextLine(rest_)));
        const auto first = static_cast<unsigned char>(rest_.front());
        const std::size_t bytes = std::size_t{1} << (3 - first / 64);
        if (rest_.size() < bytes)
            throw fileError(path_, "the file ends within its field data");
        std::uint64_t length = first % 64;
        for (std::size_t i = 1; i < bytes; ++i)
            length = length << 8 | static_cast<unsigned char>(rest_[i]);
        rest_.remove_prefix(bytes);
        if (length > rest_.size())
            throw fileError(path_, "the file ends within its field data");
        std::string text(rest_.substr(0, length));
        rest_.remove_prefix(length);
        return text;
    }

    /// Up to an empty line.
    void skipMetadata() {
        while (!trimmed(nextLine(rest_)).empty()) {
        }
    }

    const std::string& path_;
    std::string_view rest_;
    bool isText_ = false;
    StoredMesh stored_;
};

} // namespace

bool isVtkSurface(const std::string& path) {
    constexpr std::size_t header = 1024; // a title has at most 256 characters
    std::string begin;
    try {
        begin = readBeginning(path, header);
    } catch (const FileError&) {
        return false;
    }
    std::string_view rest = begin;
    if (!nextLine(rest).starts_with(beginning))
        return false;
    nextLine(rest);  // the title
    nextWords(rest); // the coding
    const std::string set = dataSetOf(rest);
    return set == "polydata" || set == "unstructured_grid";
}

StoredMesh readVtkSurface(const std::string& path, std::string_view content) {
    return VtkSurface(path, content).read();
}

} // namespace systole::meshes
