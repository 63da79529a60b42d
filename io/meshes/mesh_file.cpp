#include "io/meshes/mesh_file.h"

#include "io/bounds.h"
#include "io/byte_source.h"
#include "io/meshes/mesh_formats.h"
#include "io/messages.h"
#include "io/output_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

namespace systole {
namespace {

constexpr std::uint64_t mostBytes = std::uint64_t{4} << 30;

struct MeshFormat {
    const char* extension;
    meshes::Read* read;
    meshes::Write* write;
};
constexpr std::array<MeshFormat, 4> formats{{{".vtp", meshes::readVtp, meshes::writeVtp},
                                             {".stl", meshes::readStl, meshes::writeStl},
                                             {".ply", meshes::readPly, meshes::writePly},
                                             {".obj", meshes::readObj, meshes::writeObj}}};

const MeshFormat* formatOf(const std::string& path) {
    const std::string name = lowerCase(path);
    const auto found = std::ranges::find_if(
        formats, [&](const MeshFormat& format) { return name.ends_with(format.extension); });
    return found != formats.end() ? &*found : nullptr;
}

const MeshFormat& requireFormat(const std::string& path) {
    const MeshFormat* const format = formatOf(path);
    if (!format)
        throw fileError(path, "surfaces are files named .vtp, .stl, .ply or .obj");
    return *format;
}

std::string contentOf(const std::string& path) {
    const InputFile file(path);
    if (file.size() > mostBytes)
        throw fileError(path, "surfaces of at most 4 GiB are read");
    return file.text(0, file.size());
}

/// Points of the same coordinates become one; what no triangle uses goes.
void joinPoints(TriangleMesh& mesh) {
    std::vector<std::uint32_t> order(mesh.points.size());
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
        return mesh.points[a] != mesh.points[b] ? mesh.points[a] < mesh.points[b] : a < b;
    });
    std::vector<std::uint32_t> first(order.size()); // of the points that are the same
    for (std::size_t i = 0; i < order.size(); ++i)
        first[order[i]] = i > 0 && mesh.points[order[i]] == mesh.points[order[i - 1]]
                              ? first[order[i - 1]]
                              : order[i];
    std::vector<bool> used(order.size());
    std::vector<std::array<std::uint32_t, 3>> triangles;
    for (const auto& t : mesh.triangles) {
        const std::array<std::uint32_t, 3> joined{first[t[0]], first[t[1]], first[t[2]]};
        if (joined[0] == joined[1] || joined[1] == joined[2] || joined[2] == joined[0])
            continue;
        triangles.push_back(joined);
        for (const std::uint32_t point : joined)
            used[point] = true;
    }
    std::vector<std::array<float, 3>> points;
    std::vector<std::uint32_t> number(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        if (used[i]) {
            number[i] = static_cast<std::uint32_t>(points.size());
            points.push_back(mesh.points[i]);
        }
    for (auto& t : triangles)
        for (std::uint32_t& point : t)
            point = number[point];
    mesh = {std::move(points), {}, std::move(triangles)};
}

/// Whether a comment near the beginning says that coordinates are RAS.
bool saysRas(std::string_view content) {
    constexpr std::size_t reach = 4096;
    return content.substr(0, reach).find("SPACE=RAS") != std::string_view::npos;
}

/// The mesh as it is in the file, in LPS.
TriangleMesh storedMesh(const std::string& path) {
    const MeshFormat& format = requireFormat(path);
    const std::string content = contentOf(path);
    TriangleMesh mesh = format.read(path, content);
    for (const auto& triangle : mesh.triangles)
        for (const std::uint32_t point : triangle)
            if (point >= mesh.points.size())
                throw fileError(path, "a face names point {} of {}", point, mesh.points.size());
    for (std::array<float, 3>& point : mesh.points)
        for (float& value : point) {
            requireWithin(coordinateBounds, path, static_cast<double>(value),
                          "a coordinate of the surface");
            value += 0.0f; // no negative zero: equal points have equal bits
        }
    if (saysRas(content))
        for (std::array<float, 3>& point : mesh.points) {
            point[0] = 0.0f - point[0];
            point[1] = 0.0f - point[1];
        }
    return mesh;
}

} // namespace

bool isMeshFile(const std::string& path) { return formatOf(path) != nullptr; }

TriangleMesh readMesh(const std::string& path) {
    TriangleMesh mesh = storedMesh(path);
    joinPoints(mesh);
    if (mesh.triangles.empty())
        throw fileError(path, "the surface has no triangles");
    return mesh;
}

void writeMesh(const std::string& path, const TriangleMesh& mesh) {
    const MeshFormat& format = requireFormat(path);
    writeFileAtomically(path, [&](OutputFile& file) { format.write(file, mesh); });
}

namespace meshes {

void addPolygon(const std::string& path, std::span<const std::int64_t> corners,
                TriangleMesh& mesh) {
    if (corners.size() < 3)
        throw fileError(path, "a face has {} corners; expected three or more", corners.size());
    for (const std::int64_t corner : corners)
        if (corner < 0 || corner > std::numeric_limits<std::uint32_t>::max())
            throw fileError(path, "a face names point {}, which there can't be", corner);
    for (std::size_t i = 1; i + 1 < corners.size(); ++i)
        mesh.triangles.push_back({static_cast<std::uint32_t>(corners[0]),
                                  static_cast<std::uint32_t>(corners[i]),
                                  static_cast<std::uint32_t>(corners[i + 1])});
}

double nextReal(const std::string& path, std::string_view& text) {
    const std::string_view word = nextWord(text);
    const auto number = parseReal(word);
    if (!number)
        throw fileError(path, word.empty()
                                  ? std::string("the file ends where a number was expected")
                                  : fmt::format("expected a number, found {}", inQuotes(word)));
    return *number;
}

} // namespace meshes
} // namespace systole
