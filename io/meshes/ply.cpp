// PLY: a text header that lists elements and their properties, then the elements in text or binary
// of either byte order.
#include "io/base/messages.h"
#include "io/base/voxel_type.h"
#include "io/meshes/mesh_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace systole::meshes {
namespace {

using Scalar = VoxelType;

std::optional<Scalar> scalarOf(std::string_view text) {
    constexpr std::pair<std::string_view, Scalar> names[] = {
        {"char", Scalar::Int8},     {"uchar", Scalar::UInt8},   {"short", Scalar::Int16},
        {"ushort", Scalar::UInt16}, {"int", Scalar::Int32},     {"uint", Scalar::UInt32},
        {"float", Scalar::Float32}, {"double", Scalar::Float64}};
    for (const auto& [own, type] : names)
        if (text == own || text == name(type))
            return type;
    return {};
}

bool isReal(Scalar type) { return type == Scalar::Float32 || type == Scalar::Float64; }

struct Property {
    std::string name;
    Scalar type;
    std::optional<Scalar> count; ///< type of a list's length; empty: a single number
};
struct Element {
    std::string name;
    std::uint64_t count = 0;
    std::vector<Property> properties;
};

enum class Coding { Text, Little, Big };

/// Contents of a file's header.
struct Header {
    Coding coding = Coding::Text;
    std::vector<Element> elements;
    std::vector<std::string> spaces; ///< names of the coordinate system in comments
};

Scalar requireScalar(const std::string& path, std::string_view name) {
    const auto scalar = scalarOf(name);
    if (!scalar)
        throw fileError(path, "{} is no type of a PLY property", inQuotes(name));
    return *scalar;
}

void readProperty(const std::string& path, std::string_view line, Header& header) {
    if (header.elements.empty())
        throw fileError(path, "a property comes before the first element");
    Property property;
    std::string_view type = nextWord(line);
    if (type == "list") {
        property.count = requireScalar(path, nextWord(line));
        if (isReal(*property.count))
            throw fileError(path, "the length of a list must be a whole number");
        type = nextWord(line);
    }
    property.type = requireScalar(path, type);
    property.name = nextWord(line);
    Element& element = header.elements.back();
    if (std::ranges::count(element.properties, property.name, &Property::name) > 0)
        throw fileError(path, "its element {} has the property {} twice", inQuotes(element.name),
                        inQuotes(property.name));
    element.properties.push_back(property);
}

Header readHeader(const std::string& path, std::string_view& content) {
    constexpr int maxLines = 1000;
    Header header;
    bool formatKnown = false;
    if (nextLine(content) != "ply")
        throw fileError(path, "a PLY file begins with 'ply'");
    for (int i = 0; i < maxLines && !content.empty(); ++i) {
        std::string_view line = nextLine(content);
        const std::string_view key = nextWord(line);
        if (key == "end_header") {
            if (!formatKnown)
                throw fileError(path, "the header doesn't say its format");
            return header;
        }
        if (key == "format") {
            if (formatKnown)
                throw fileError(path, "the header gives its format twice");
            const std::string_view name = nextWord(line);
            header.coding = name == "ascii"                  ? Coding::Text
                            : name == "binary_little_endian" ? Coding::Little
                                                             : Coding::Big;
            if (header.coding == Coding::Big && name != "binary_big_endian")
                throw fileError(path, "{} is no format of PLY", inQuotes(name));
            formatKnown = true;
        } else if (key == "element") {
            Element element;
            element.name = nextWord(line);
            const auto count = parseInteger(nextWord(line));
            if (!count || *count < 0)
                throw fileError(path, "the number of elements of {} isn't given",
                                inQuotes(element.name));
            element.count = static_cast<std::uint64_t>(*count);
            if (std::ranges::count(header.elements, element.name, &Element::name) > 0)
                throw fileError(path, "the header has the element {} twice",
                                inQuotes(element.name));
            header.elements.push_back(std::move(element));
        } else if (key == "property") {
            readProperty(path, line, header);
        } else if (key == "comment" || key == "obj_info") {
            addSpaces(line, header.spaces);
        }
    }
    throw fileError(path, "the header has no end");
}

/// Takes one number after the other.
class Values {
public:
    Values(const std::string& path, std::string_view content, Coding coding)
        : path_(path), rest_(content), coding_(coding) {}

    double next(Scalar type) {
        if (coding_ == Coding::Text)
            return nextReal(path_, rest_);
        const std::size_t bytes = bytesOf(type);
        if (rest_.size() < bytes)
            throw fileError(path_, "the file ends before its last element");
        const double number = numberAt(rest_.data(), type, coding_ == Coding::Big);
        rest_.remove_prefix(bytes);
        return number;
    }
    std::size_t left() const { return rest_.size(); }
    /// The fewest bytes that a number takes.
    std::size_t bytes(Scalar type) const { return coding_ == Coding::Text ? 2 : bytesOf(type); }

private:
    const std::string& path_;
    std::string_view rest_;
    Coding coding_;
};

/// A whole number of a face; anything that isn't one becomes -1, which is no point.
std::int64_t wholeOf(double value) {
    return value >= 0 && value <= 4294967295.0 && value == std::floor(value)
               ? static_cast<std::int64_t>(value)
               : -1;
}

/// No header makes us take memory for more than the file holds.
void requireRoom(const std::string& path, const Element& element, const Values& values) {
    std::size_t minBytes = 0;
    for (const Property& property : element.properties)
        minBytes += values.bytes(property.count.value_or(property.type));
    // The last number of a text may lack its separator.
    if (element.count > 0 && (minBytes == 0 || element.count > (values.left() + 1) / minBytes))
        throw fileError(path, "{} elements of {} don't fit into the file", element.count,
                        inQuotes(element.name));
}

/// Calls take(property, number) for each number of each element, and end(property) behind those of
/// a property.
template <typename Take, typename End>
void overElements(const std::string& path, const Element& element, Values& values, const Take& take,
                  const End& end) {
    for (std::uint64_t i = 0; i < element.count; ++i)
        for (const Property& property : element.properties) {
            std::int64_t count = 1;
            if (property.count) {
                count = wholeOf(values.next(*property.count));
                if (count < 0 || static_cast<std::uint64_t>(count) > values.left())
                    throw fileError(path, "a list is longer than the file");
            }
            for (std::int64_t k = 0; k < count; ++k)
                take(property, values.next(property.type));
            end(property);
        }
}

void readPoints(const std::string& path, const Element& element, Values& values,
                TriangleMesh& mesh) {
    std::array<float, 3> point{};
    const auto isAxis = [](const Property& property, std::size_t axis) {
        return !property.count && property.name == std::string_view(&"xyz"[axis], 1);
    };
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (std::ranges::none_of(element.properties,
                                 [&](const Property& property) { return isAxis(property, axis); }))
            throw fileError(path, "its vertices have no {}", "xyz"[axis]);
    mesh.points.reserve(mesh.points.size() + element.count);
    const Property* const last = &element.properties.back();
    overElements(
        path, element, values,
        [&](const Property& property, double number) {
            for (std::size_t axis = 0; axis < 3; ++axis)
                if (isAxis(property, axis))
                    point[axis] = static_cast<float>(number);
        },
        [&](const Property& property) {
            if (&property == last)
                mesh.points.push_back(point);
        });
}

void readFaces(const std::string& path, const Element& element, Values& values,
               TriangleMesh& mesh) {
    constexpr std::size_t maxCorners = 1'000'000;
    const auto isFace = [&](const Property& property) {
        return element.name == "face" && property.count &&
               (property.name == "vertex_indices" || property.name == "vertex_index");
    };
    std::vector<std::int64_t> face;
    overElements(
        path, element, values,
        [&](const Property& property, double number) {
            if (!isFace(property))
                return;
            if (face.size() == maxCorners)
                throw fileError(path, "a face has more than {} corners", maxCorners);
            face.push_back(wholeOf(number));
        },
        [&](const Property& property) {
            if (isFace(property))
                addPolygon(path, face, mesh);
            face.clear();
        });
}

} // namespace

StoredMesh readPly(const std::string& path, std::string_view content) {
    Header header = readHeader(path, content);
    Values values(path, content, header.coding);
    TriangleMesh mesh;
    for (const Element& element : header.elements) {
        requireRoom(path, element, values);
        (element.name == "vertex" ? readPoints : readFaces)(path, element, values, mesh);
    }
    return {std::move(mesh), std::move(header.spaces)};
}

void writePly(OutputFile& file, const TriangleMesh& mesh) {
    static_assert(std::endian::native == std::endian::little);
    const bool normals = !mesh.normals.empty();
    file.write(fmt::format(
        "ply\nformat binary_little_endian 1.0\ncomment {}; millimeters; written by "
        "systole\nelement vertex {}\nproperty float x\nproperty float y\nproperty float "
        "z\n{}element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        spaceComment, mesh.points.size(),
        normals ? "property float nx\nproperty float ny\nproperty float nz\n" : "",
        mesh.triangles.size()));
    for (std::size_t i = 0; i < mesh.points.size(); ++i) {
        file.write(mesh.points[i]);
        if (normals)
            file.write(mesh.normals[i]);
    }
    for (const auto& t : mesh.triangles) {
        file.write("\3");
        file.write(t);
    }
}

} // namespace systole::meshes
