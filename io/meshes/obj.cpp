// Wavefront OBJ: lines of points and faces; everything else is skipped.
#include "io/meshes/mesh_formats.h"
#include "io/messages.h"

#include <fmt/format.h>

#include <vector>

namespace systole::meshes {
namespace {

/// "7/1/3" is point 7 of a list that begins with 1; negative numbers count from the last point.
std::int64_t cornerOf(const std::string& path, std::string_view word, std::size_t points) {
    const auto number = parseInteger(word.substr(0, word.find('/')));
    if (!number || *number == 0)
        throw fileError(path, "expected the number of a point, found {}", inQuotes(word));
    return *number > 0 ? *number - 1 : static_cast<std::int64_t>(points) + *number;
}

} // namespace

TriangleMesh readObj(const std::string& path, std::string_view content) {
    TriangleMesh mesh;
    std::vector<std::vector<std::int64_t>> faces;
    while (!content.empty()) {
        std::string_view line = nextLine(content);
        const std::string_view key = nextWord(line);
        if (key == "v") {
            std::array<float, 3> point{};
            for (float& value : point)
                value = static_cast<float>(nextReal(path, line));
            mesh.points.push_back(point);
        } else if (key == "f") {
            std::vector<std::int64_t> face;
            for (std::string_view word = nextWord(line); !word.empty(); word = nextWord(line))
                face.push_back(cornerOf(path, word, mesh.points.size()));
            faces.push_back(std::move(face));
        }
    }
    // A face may come before its points.
    for (const std::vector<std::int64_t>& face : faces)
        addPolygon(path, face, mesh.points.size(), mesh);
    return mesh;
}

void writeObj(OutputFile& file, const TriangleMesh& mesh) {
    std::string block = fmt::format("# {}; millimeters; written by systole\n", spaceComment);
    const auto flush = [&](std::size_t beyond) {
        if (block.size() > beyond) {
            file.write(block);
            block.clear();
        }
    };
    constexpr std::size_t blockBytes = std::size_t{1} << 20;
    for (const auto& p : mesh.points) {
        block += fmt::format("v {} {} {}\n", p[0], p[1], p[2]);
        flush(blockBytes);
    }
    for (const auto& n : mesh.normals) {
        block += fmt::format("vn {} {} {}\n", n[0], n[1], n[2]);
        flush(blockBytes);
    }
    for (const auto& t : mesh.triangles) {
        block += 'f';
        for (const std::uint32_t point : t)
            block += mesh.normals.empty() ? fmt::format(" {}", std::uint64_t{point} + 1)
                                          : fmt::format(" {0}//{0}", std::uint64_t{point} + 1);
        block += '\n';
        flush(blockBytes);
    }
    flush(0);
}

} // namespace systole::meshes
