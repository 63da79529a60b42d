// Wavefront OBJ: lines of points and faces; everything else is skipped.
#include "io/base/messages.h"
#include "io/base/spelling.h"
#include "io/meshes/mesh_formats.h"

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

StoredMesh readObj(const std::string& path, std::string_view content) {
    StoredMesh stored;
    TriangleMesh& mesh = stored.mesh;
    std::string ofOldMacs;
    if (content.find('\n') == content.npos) {
        ofOldMacs = withNewLines(std::string(content));
        content = ofOldMacs;
    }
    std::vector<std::int64_t> face;
    while (!content.empty()) {
        std::string_view line = nextLine(content);
        if (line.starts_with('#'))
            addSpaces(line, stored.spaces);
        const std::string_view key = nextWord(line);
        if (key == "v") {
            std::array<float, 3> point{};
            for (float& value : point)
                value = static_cast<float>(nextReal(path, line));
            mesh.points.push_back(point);
        } else if (key == "f") {
            face.clear();
            for (std::string_view word = nextWord(line); !word.empty(); word = nextWord(line))
                face.push_back(cornerOf(path, word, mesh.points.size()));
            addPolygon(path, face, mesh);
        }
    }
    return stored;
}

void writeObj(OutputFile& file, const TriangleMesh& mesh) {
    file.write(fmt::format("# {}; millimeters; written by systole\n", spaceComment));
    for (const auto& p : mesh.points)
        file.write(fmt::format("v {} {} {}\n", p[0], p[1], p[2]));
    for (const auto& n : mesh.normals)
        file.write(fmt::format("vn {} {} {}\n", n[0], n[1], n[2]));
    for (const auto& t : mesh.triangles) {
        file.write("f");
        for (const std::uint32_t point : t)
            file.write(mesh.normals.empty() ? fmt::format(" {}", std::uint64_t{point} + 1)
                                            : fmt::format(" {0}//{0}", std::uint64_t{point} + 1));
        file.write("\n");
    }
}

} // namespace systole::meshes
