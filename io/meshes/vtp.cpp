// VTK's XML files of polygonal data: one piece of points and polygons; lines and single points in
// it are skipped.
#include "io/base/messages.h"
#include "io/base/voxel_type.h"
#include "io/meshes/mesh_formats.h"
#include "io/meshes/vtp_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <type_traits>
#include <vector>

namespace systole::meshes {
namespace {

/// "<name a="1" b="2">".
struct Tag {
    std::string name; ///< "/Points" where it ends
    std::map<std::string, std::string, std::less<>> attributes;
    std::string_view after; ///< text that follows the tag

    std::string of(std::string_view attribute) const {
        const auto found = attributes.find(attribute);
        return found != attributes.end() ? found->second : std::string();
    }
};

/// The next tag from `text` on, which is moved behind it; declarations are skipped, and comments
/// but for what they say of the space of coordinates.
std::optional<Tag> nextTag(const std::string& path, std::string_view& text,
                           std::vector<std::string>& spaces) {
    while (true) {
        const std::size_t begin = text.find('<');
        if (begin == std::string_view::npos)
            return {};
        text.remove_prefix(begin + 1);
        if (text.starts_with("!--")) {
            const std::size_t end = std::min(text.find("-->"), text.size());
            addSpaces(text.substr(0, end), spaces);
            text.remove_prefix(end);
            continue;
        }
        if (!text.starts_with('?') && !text.starts_with('!'))
            break;
    }
    Tag tag;
    tag.name = text.substr(0, text.find_first_of(" \t\r\n>/", 1));
    text.remove_prefix(tag.name.size());
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n/"), text.size()));
        if (text.empty())
            throw fileError(path, "the file ends within a tag");
        if (text.front() == '>') {
            text.remove_prefix(1);
            tag.after = text;
            return tag;
        }
        const std::size_t equals = text.find('=');
        const std::size_t open = equals == std::string_view::npos ? equals : equals + 1;
        const char quote = open < text.size() ? text[open] : '\0';
        const std::size_t close =
            quote == '"' || quote == '\'' ? text.find(quote, open + 1) : std::string_view::npos;
        if (close == std::string_view::npos)
            throw fileError(path, "a tag {} is damaged", inQuotes(tag.name));
        constexpr std::size_t maxAttributes = 100; // VTK writes ten
        if (tag.attributes.size() == maxAttributes)
            throw fileError(path, "a tag {} has too many attributes", inQuotes(tag.name));
        const std::string key(trimmed(text.substr(0, equals)));
        if (!tag.attributes.emplace(key, text.substr(open + 1, close - open - 1)).second)
            throw fileError(path, "a tag {} gives {} twice", inQuotes(tag.name), inQuotes(key));
        text.remove_prefix(close + 1);
    }
}

std::size_t countOf(const std::string& path, const Tag& tag, std::string_view attribute) {
    const std::string text = tag.of(attribute);
    if (text.empty())
        return 0;
    const auto number = parseInteger(text);
    if (!number || *number < 0 || *number > std::numeric_limits<std::int32_t>::max())
        throw fileError(path, "{} is {}; expected a count", attribute, inQuotes(text));
    return static_cast<std::size_t>(*number);
}

/// Parts of a file that the reader uses, with the tags that describe them.
struct Contents {
    VtpCoding coding;
    std::optional<Tag> piece, points, connectivity, offsets, stripCorners, stripOffsets;
    std::vector<Tag> spaceArrays;    ///< the arrays SPACE of the field data
    std::vector<std::string> spaces; ///< names of the coordinate system in comments
    std::string_view appended;       ///< data after the underscore; empty if there are none
    bool appendedBase64 = true;
};

void readRoot(const std::string& path, const Tag& tag, Contents& contents) {
    if (tag.of("type") != "PolyData")
        throw fileError(path, "expected a file of type PolyData, found {}",
                        inQuotes(tag.of("type")));
    if (tag.of("byte_order") == "BigEndian")
        throw fileError(path, "arrays of big-endian byte order aren't read");
    contents.coding.wideHeader = tag.of("header_type") == "UInt64";
    const std::string compressor = tag.of("compressor");
    contents.coding.deflated = compressor == "vtkZLibDataCompressor";
    if (!compressor.empty() && !contents.coding.deflated)
        throw fileError(
            path,
            "arrays packed by {} aren't read; write the file with zlib or without compression",
            inQuotes(compressor));
}

/// The parts of a file that have arrays. What lies within an array, such as <InformationKey>, isn't
/// one.
constexpr std::array<std::string_view, 8> sections{"FieldData", "PointData", "CellData", "Points",
                                                   "Verts",     "Lines",     "Strips",   "Polys"};

void takeArray(const std::string& path, std::string_view section, const Tag& tag,
               Contents& contents) {
    const std::string name = lowerCase(tag.of("Name"));
    constexpr std::size_t maxSpaces = 10;
    if (section == "FieldData" && name == "space" && contents.spaceArrays.size() < maxSpaces) {
        contents.spaceArrays.push_back(tag);
        return;
    }
    std::optional<Tag>* place = nullptr;
    if (section == "Points")
        place = &contents.points;
    else if (section == "Polys" && (name == "connectivity" || name == "offsets"))
        place = name == "offsets" ? &contents.offsets : &contents.connectivity;
    else if (section == "Strips" && (name == "connectivity" || name == "offsets"))
        place = name == "offsets" ? &contents.stripOffsets : &contents.stripCorners;
    if (!place)
        return;
    if (*place)
        throw fileError(path, "its {} have the array {} twice", section, inQuotes(tag.of("Name")));
    *place = tag;
}

Contents survey(const std::string& path, std::string_view text) {
    Contents contents;
    std::string section;
    bool rooted = false;
    while (std::optional<Tag> tag = nextTag(path, text, contents.spaces)) {
        if (tag->name == "VTKFile") {
            readRoot(path, *tag, contents);
            rooted = true;
        } else if (tag->name == "Piece") {
            if (contents.piece)
                throw fileError(path, "the file has several pieces; expected one");
            contents.piece = tag;
        } else if (tag->name == "AppendedData") {
            contents.appendedBase64 = tag->of("encoding") != "raw";
            const std::size_t mark = text.find('_');
            contents.appended =
                text.substr(mark == std::string_view::npos ? text.size() : mark + 1);
            break;
        } else if (tag->name == "DataArray" || tag->name == "Array") {
            takeArray(path, section, *tag, contents);
        } else if (std::ranges::count(sections, tag->name) > 0) {
            section = tag->name;
        }
    }
    if (!rooted || !contents.piece)
        throw fileError(path, "no VTK XML file with a piece of polygonal data");
    return contents;
}

template <typename Stored, typename T>
std::vector<T> converted(const std::vector<char>& bytes) {
    std::vector<T> values(bytes.size() / sizeof(Stored));
    for (std::size_t i = 0; i < values.size(); ++i) {
        Stored stored{};
        std::memcpy(&stored, bytes.data() + i * sizeof stored, sizeof stored);
        values[i] = static_cast<T>(stored);
    }
    return values;
}

/// "Float32", "UInt64": the types that VTK writes points and indices as.
VoxelType typeOf(const std::string& path, const std::string& text) {
    for (const VoxelType type : {VoxelType::Float32, VoxelType::Float64, VoxelType::Int32,
                                 VoxelType::UInt32, VoxelType::Int64, VoxelType::UInt64})
        if (lowerCase(text) == name(type))
            return type;
    throw fileError(path, "points and polygons as {} aren't read", inQuotes(text));
}

/// A coordinate, or an index, which is a whole number.
template <typename T>
T numberFrom(const std::string& path, double value) {
    constexpr double beyondAnyIndex = 1e15;
    if constexpr (std::is_integral_v<T>)
        if (!(value >= 0 && value < beyondAnyIndex) || value != std::floor(value))
            throw fileError(path, "{:g} is no index of a point or a polygon", value);
    return static_cast<T>(value);
}

/// Bytes of an array that isn't text, and their coding.
struct BinaryArray {
    std::string_view content;
    VtpCoding coding;
};

BinaryArray binaryArray(const std::string& path, const Contents& contents, const Tag& array) {
    const std::string format = array.of("format");
    BinaryArray binary{array.after.substr(0, array.after.find('<')), contents.coding};
    if (format == "appended") {
        binary.coding.base64 = contents.appendedBase64;
        const auto offset = parseInteger(array.of("offset"));
        if (!offset || *offset < 0 ||
            static_cast<std::uint64_t>(*offset) >= contents.appended.size())
            throw fileError(path, "an array lies outside the file");
        binary.content = contents.appended.substr(static_cast<std::size_t>(*offset));
    } else if (format != "binary") {
        throw fileError(path, "an array has the format {}", inQuotes(format));
    }
    return binary;
}

/// The strings of an array of the field data: bytes, each string ended by a zero.
std::vector<std::string> textsOf(const std::string& path, const Contents& contents,
                                 const Tag& array) {
    constexpr std::size_t maxBytes = 4096;
    const std::string type = lowerCase(array.of("type"));
    if (type != "string" && type != "int8" && type != "uint8")
        throw fileError(path, "SPACE in its field data is no text, but {}",
                        inQuotes(array.of("type")));
    std::string bytes;
    if (array.of("format") == "ascii") {
        std::string_view text = array.after.substr(0, array.after.find('<'));
        while (!trimmed(text).empty() && bytes.size() < maxBytes)
            bytes += static_cast<char>(std::clamp(nextReal(path, text), 0.0, 127.0));
    } else {
        const BinaryArray binary = binaryArray(path, contents, array);
        const std::vector<char> stored = readVtpText(path, binary.content, binary.coding, maxBytes);
        bytes.assign(stored.begin(), stored.end());
    }
    std::vector<std::string> texts;
    for (const std::string_view part : partsOf(bytes, '\0'))
        if (!part.empty())
            texts.emplace_back(part);
    if (texts.empty())
        throw fileError(path, "SPACE in its field data is empty; LPS or RAS is expected");
    return texts;
}

/// `count` numbers of an array of one of the types that VTK writes points and indices as.
template <typename T>
std::vector<T> numbersOf(const std::string& path, const Contents& contents,
                         const std::optional<Tag>& array, std::size_t count) {
    if (!array)
        throw fileError(path, "points, connectivity or offsets of the polygons are missing");
    const std::string format = array->of("format");
    std::string_view text = array->after.substr(0, array->after.find('<'));
    if (format == "ascii") {
        if (count > (text.size() + 1) / 2) // a digit and a separator each
            throw fileError(path, "an array of {} numbers doesn't fit into the file", count);
        std::vector<T> values;
        values.reserve(count);
        for (std::size_t i = 0; i < count; ++i)
            values.push_back(numberFrom<T>(path, nextReal(path, text)));
        return values;
    }
    const BinaryArray binary = binaryArray(path, contents, *array);
    const VoxelType stored = typeOf(path, array->of("type"));
    const std::vector<char> bytes =
        readVtpArray(path, binary.content, binary.coding, count * bytesOf(stored));
    return withType(stored, [&]<typename Stored>() { return converted<Stored, T>(bytes); });
}

/// Only whole numbers may be indices: a float beyond their range has no conversion.
void requireIntegers(const std::string& path, const std::optional<Tag>& array) {
    if (array && array->of("format") != "ascii" &&
        array->of("type").find("Int") == std::string::npos)
        throw fileError(path, "the indices of polygons are no whole numbers");
}

/// Adds the polygons or strips of the file.
void readCells(const std::string& path, const Contents& contents, bool strips, TriangleMesh& mesh) {
    const std::size_t count =
        countOf(path, *contents.piece, strips ? "NumberOfStrips" : "NumberOfPolys");
    if (count == 0)
        return;
    const std::optional<Tag>& offsets = strips ? contents.stripOffsets : contents.offsets;
    const std::optional<Tag>& connectivity = strips ? contents.stripCorners : contents.connectivity;
    requireIntegers(path, offsets);
    requireIntegers(path, connectivity);
    const auto ends = numbersOf<std::int64_t>(path, contents, offsets, count);
    std::int64_t begin = 0;
    for (const std::int64_t end : ends) {
        if (end < begin || end - begin > std::numeric_limits<std::int32_t>::max())
            throw fileError(path, "the offsets of the polygons don't ascend");
        begin = end;
    }
    if (begin > std::int64_t{16} * std::numeric_limits<std::int32_t>::max())
        throw fileError(path, "the polygons have too many corners");
    addCells(path, ends,
             numbersOf<std::int64_t>(path, contents, connectivity, static_cast<std::size_t>(begin)),
             strips, mesh);
}

} // namespace

StoredMesh readVtp(const std::string& path, std::string_view content) {
    const Contents contents = survey(path, content);
    const std::size_t points = countOf(path, *contents.piece, "NumberOfPoints");
    if (points == 0 || countOf(path, *contents.piece, "NumberOfPolys") +
                               countOf(path, *contents.piece, "NumberOfStrips") ==
                           0)
        throw fileError(path, "the surface has no triangles");
    StoredMesh stored;
    stored.spaces = contents.spaces;
    for (const Tag& array : contents.spaceArrays)
        std::ranges::move(textsOf(path, contents, array), std::back_inserter(stored.spaces));
    if (contents.points && contents.points->of("NumberOfComponents") != "3")
        throw fileError(path, "points must have three components");
    {
        const auto values = numbersOf<float>(path, contents, contents.points, 3 * points);
        stored.mesh.points.reserve(points);
        for (std::size_t i = 0; i < points; ++i)
            stored.mesh.points.push_back({values[3 * i], values[3 * i + 1], values[3 * i + 2]});
    }
    for (const bool strips : {false, true})
        readCells(path, contents, strips, stored.mesh);
    return stored;
}

void writeVtp(OutputFile& file, const TriangleMesh& mesh) {
    const std::uint64_t pointBytes = mesh.points.size() * 12;
    const std::uint64_t normalBytes = mesh.normals.size() * 12;
    const std::uint64_t cornerBytes = mesh.triangles.size() * 24;
    const std::uint64_t offsetBytes = mesh.triangles.size() * 8;
    std::uint64_t offset = 0;
    const auto array = [&](const char* type, const char* name, int components,
                           std::uint64_t bytes) {
        const std::string tag =
            fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" "
                        "format=\"appended\" offset=\"{}\"/>\n",
                        type, name, components, offset);
        offset += 8 + bytes;
        return tag;
    };
    std::string header = fmt::format(
        "<?xml version=\"1.0\"?>\n<!-- {}; millimeters; written by systole -->\n"
        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n<Array type=\"String\" Name=\"SPACE\" "
        "NumberOfTuples=\"1\" format=\"ascii\">\n76 80 83 0\n</Array>\n</FieldData>\n"
        "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
        "NumberOfPolys=\"{}\">\n",
        spaceComment, mesh.points.size(), mesh.triangles.size());
    header += "<Points>\n" + array("Float32", "Points", 3, pointBytes) + "</Points>\n";
    if (normalBytes > 0)
        header += "<PointData Normals=\"Normals\">\n" +
                  array("Float32", "Normals", 3, normalBytes) + "</PointData>\n";
    header += "<Polys>\n" + array("Int64", "connectivity", 1, cornerBytes);
    header += array("Int64", "offsets", 1, offsetBytes);
    header += "</Polys>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
    file.write(header);
    const auto put = [&](std::uint64_t bytes, const auto& values) {
        file.write(std::span(&bytes, 1));
        file.write(values);
    };
    put(pointBytes, mesh.points);
    if (normalBytes > 0)
        put(normalBytes, mesh.normals);
    std::vector<std::int64_t> corners, ends;
    for (const auto& t : mesh.triangles) {
        corners.insert(corners.end(), t.begin(), t.end());
        ends.push_back(static_cast<std::int64_t>(corners.size()));
    }
    put(cornerBytes, corners);
    put(offsetBytes, ends);
    file.write("\n</AppendedData>\n</VTKFile>\n");
}

} // namespace systole::meshes
