// The formats behind mesh_file.h: each reader gets a file's content, each writer an open file.
#pragma once

#include "compute/core/triangle_mesh.h"
#include "io/output_file.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace systole::meshes {

/// What comments say about the coordinates.
inline constexpr const char* spaceComment = "SPACE=LPS";

/// Throws FileError naming `path`.
using Read = TriangleMesh(const std::string& path, std::string_view content);
Read readVtp, readStl, readPly, readObj;
using Write = void(OutputFile& file, const TriangleMesh& mesh);
Write writeVtp, writeStl, writePly, writeObj;

/// Adds a polygon as a fan of triangles. Its points may follow: readMesh() checks that there are so
/// many. Throws FileError for what can't be an index, and for fewer than three corners.
void addPolygon(const std::string& path, std::span<const std::int64_t> corners, TriangleMesh& mesh);

/// The next word as a number. Throws FileError.
double nextReal(const std::string& path, std::string_view& text);

} // namespace systole::meshes
