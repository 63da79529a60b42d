// STL: triangles of their own points, binary (little-endian) or text.
#include "io/base/messages.h"
#include "io/meshes/mesh_formats.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace systole::meshes {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t headerBytes = 80, triangleBytes = 50;

StoredMesh binaryMesh(std::string_view content, std::size_t count) {
    StoredMesh stored;
    addSpaces(content.substr(0, headerBytes), stored.spaces);
    TriangleMesh& mesh = stored.mesh;
    mesh.points.resize(3 * count);
    mesh.triangles.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const char* const at = content.data() + headerBytes + 4 + i * triangleBytes;
        // The corners follow the normal of 12 bytes.
        std::memcpy(mesh.points[3 * i].data(), at + 12, 36);
        const auto first = static_cast<std::uint32_t>(3 * i);
        mesh.triangles[i] = {first, first + 1, first + 2};
    }
    return stored;
}

StoredMesh readText(const std::string& path, std::string_view text) {
    StoredMesh stored;
    TriangleMesh& mesh = stored.mesh;
    addSpaces(nextLine(text), stored.spaces);
    std::size_t corners = 0;
    for (std::string_view word = nextWord(text); !word.empty(); word = nextWord(text)) {
        const std::string key = lowerCase(word);
        if (key == "vertex") {
            std::array<float, 3> point{};
            for (float& value : point)
                value = static_cast<float>(nextReal(path, text));
            mesh.points.push_back(point);
            ++corners;
        } else if (key == "endfacet") {
            if (corners != 3)
                throw fileError(path, "facet {} has {} vertices; expected three",
                                mesh.triangles.size(), corners);
            const auto first = static_cast<std::uint32_t>(mesh.points.size() - 3);
            mesh.triangles.push_back({first, first + 1, first + 2});
            corners = 0;
        } else if (key == "facet") {
            nextWord(text); // "normal" and its numbers
            for (int i = 0; i < 3; ++i)
                nextReal(path, text);
        } else if (key == "endsolid") {
            nextLine(text); // the name
        } else if (key == "solid") {
            nextLine(text);
        } else if (key != "outer" && key != "loop" && key != "endloop") {
            throw fileError(path, "{} is no word of an STL file", inQuotes(word));
        }
    }
    if (corners != 0)
        throw fileError(path, "the file ends within a facet");
    return stored;
}

} // namespace

StoredMesh readStl(const std::string& path, std::string_view content) {
    // Binary files may begin with "solid", too: their length tells.
    if (content.size() >= headerBytes + 4) {
        std::uint32_t count = 0;
        std::memcpy(&count, content.data() + headerBytes, sizeof count);
        if (content.size() - headerBytes - 4 == std::size_t{count} * triangleBytes)
            return binaryMesh(content, count);
    }
    if (!lowerCase(content.substr(0, 5)).starts_with("solid"))
        throw fileError(path, "neither text that begins with 'solid' nor a binary STL file whose "
                              "length fits its number of triangles");
    return readText(path, content);
}

void writeStl(OutputFile& file, const TriangleMesh& mesh) {
    std::string header = fmt::format("{}; millimeters; written by systole", spaceComment);
    header.resize(headerBytes, ' ');
    file.write(header);
    const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
    file.write(std::span(&count, 1));
    for (const auto& t : mesh.triangles) {
        std::array<float, 12> values{};
        const auto &a = mesh.points[t[0]], &b = mesh.points[t[1]], &c = mesh.points[t[2]];
        const float u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        const float v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        const float n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                            u[0] * v[1] - u[1] * v[0]};
        const float norm = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (std::size_t i = 0; i < 3; ++i) {
            values[i] = norm > 0 ? n[i] / norm : 0;
            values[3 + i] = a[i];
            values[6 + i] = b[i];
            values[9 + i] = c[i];
        }
        file.write(values);
        file.write(std::string_view("\0\0", 2)); // no attributes
    }
}

} // namespace systole::meshes
