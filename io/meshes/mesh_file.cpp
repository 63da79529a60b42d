#include "io/meshes/mesh_file.h"

#include "io/base/bounds.h"
#include "io/base/byte_source.h"
#include "io/base/messages.h"
#include "io/base/output_file.h"
#include "io/base/spelling.h"
#include "io/meshes/mesh_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr std::uint64_t maxBytes = std::uint64_t{4} << 30;

struct MeshFormat {
    const char* extension;
    meshes::Read* read;
    meshes::Write* write; ///< null: it is read only
};
constexpr std::array<MeshFormat, 5> formats{{{".vtp", meshes::readVtp, meshes::writeVtp},
                                             {".stl", meshes::readStl, meshes::writeStl},
                                             {".ply", meshes::readPly, meshes::writePly},
                                             {".obj", meshes::readObj, meshes::writeObj},
                                             {".vtk", meshes::readVtkSurface, nullptr}}};

const MeshFormat* formatOf(const std::string& path) {
    const std::string name = lowerCase(path);
    const auto found = std::ranges::find_if(
        formats, [&](const MeshFormat& format) { return name.ends_with(format.extension); });
    return found != formats.end() ? &*found : nullptr;
}

std::string contentOf(const std::string& path) {
    const InputFile file(path);
    if (file.size() > maxBytes)
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
    // Index of the first point with the same coordinates.
    std::vector<std::uint32_t> first(order.size());
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

/// Whether the coordinates are RAS, by all that the file says.
bool isRas(const std::string& path, const std::vector<std::string>& spaces) {
    std::optional<bool> stated;
    for (const std::string& space : spaces) {
        const std::optional<bool> ras = namesRas(space);
        if (!ras)
            throw fileError(path, "the space of its coordinates is {}; LPS or RAS is expected",
                            inQuotes(space));
        if (stated.value_or(*ras) != *ras)
            throw fileError(path, "names both LPS and RAS as the space of its coordinates");
        stated = ras;
    }
    return stated.value_or(false);
}

/// The mesh as it is in the file, in LPS.
TriangleMesh storedMesh(const std::string& path) {
    const MeshFormat* const format = formatOf(path);
    if (!format)
        throw fileError(path,
                        "surfaces are read from files named .vtp, .stl, .ply or .obj, or .vtk");
    const std::string content = contentOf(path);
    meshes::StoredMesh stored = format->read(path, content);
    TriangleMesh& mesh = stored.mesh;
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
    if (isRas(path, stored.spaces))
        for (std::array<float, 3>& point : mesh.points) {
            point[0] = 0.0f - point[0];
            point[1] = 0.0f - point[1];
        }
    return std::move(mesh);
}

} // namespace

bool isMeshName(const std::string& path) {
    const MeshFormat* const format = formatOf(path);
    return format && format->write;
}

bool isMeshFile(const std::string& path) {
    const MeshFormat* const format = formatOf(path);
    return format && (format->write || meshes::isVtkSurface(path));
}

TriangleMesh readMesh(const std::string& path) {
    TriangleMesh mesh = storedMesh(path);
    joinPoints(mesh);
    if (mesh.triangles.empty())
        throw fileError(path, "the surface has no triangles");
    return mesh;
}

void writeMesh(const std::string& path, const TriangleMesh& mesh) {
    const MeshFormat* const format = formatOf(path);
    if (!format || !format->write)
        throw fileError(path, "surfaces are written to files named .vtp, .stl, .ply or .obj");
    writeFileAtomically(path, [&](OutputFile& file) { format->write(file, mesh); });
}

namespace meshes {

namespace {

void requireCorners(const std::string& path, std::span<const std::int64_t> corners) {
    if (corners.size() < 3)
        throw fileError(path, "a face has {} corners; expected three or more", corners.size());
    for (const std::int64_t corner : corners)
        if (corner < 0 || corner > std::numeric_limits<std::uint32_t>::max())
            throw fileError(path, "a face names point {}, which there can't be", corner);
}

} // namespace

void addSpaces(std::string_view comment, std::vector<std::string>& spaces) {
    constexpr std::string_view key = "space";
    const std::string lower = lowerCase(comment);
    for (std::size_t at = lower.find(key); at != lower.npos; at = lower.find(key, at + 1)) {
        if (at > 0 && std::isalnum(static_cast<unsigned char>(lower[at - 1])) != 0)
            continue; // "workspace"
        std::string_view rest = comment.substr(at + key.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        if (!rest.starts_with('=') && !rest.starts_with(':'))
            continue;
        const bool isSlicers = comment.substr(at).starts_with("SPACE=");
        const std::vector<std::string> found = words(rest.substr(1), " \t\r\n;,.\"'<>");
        const std::string value = found.empty() ? std::string() : found.front();
        // Other words may be of another space: "color space: sRGB".
        if (isSlicers || namesRas(value))
            spaces.push_back(value);
    }
}

void addPolygon(const std::string& path, std::span<const std::int64_t> corners,
                TriangleMesh& mesh) {
    requireCorners(path, corners);
    for (std::size_t i = 1; i + 1 < corners.size(); ++i)
        mesh.triangles.push_back({static_cast<std::uint32_t>(corners[0]),
                                  static_cast<std::uint32_t>(corners[i]),
                                  static_cast<std::uint32_t>(corners[i + 1])});
}

void addStrip(const std::string& path, std::span<const std::int64_t> corners, TriangleMesh& mesh) {
    requireCorners(path, corners);
    for (std::size_t i = 0; i + 2 < corners.size(); ++i) {
        const std::size_t turned = i % 2; // every other triangle runs the other way
        mesh.triangles.push_back({static_cast<std::uint32_t>(corners[i + turned]),
                                  static_cast<std::uint32_t>(corners[i + 1 - turned]),
                                  static_cast<std::uint32_t>(corners[i + 2])});
    }
}

void addCells(const std::string& path, std::span<const std::int64_t> ends,
              std::span<const std::int64_t> corners, bool strips, TriangleMesh& mesh) {
    std::int64_t begin = 0;
    for (const std::int64_t end : ends) {
        if (end < begin || end > static_cast<std::int64_t>(corners.size()))
            throw fileError(path, "the offsets of the polygons don't ascend");
        (strips ? addStrip : addPolygon)(
            path,
            corners.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
            mesh);
        begin = end;
    }
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
