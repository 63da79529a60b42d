// The formats behind mesh_file.h: each reader gets a file's content, each writer an open file.
#pragma once

#include "compute/core/triangle_mesh.h"
#include "io/base/output_file.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace systole::meshes {

/// Comment that states the coordinate system in written files.
inline constexpr const char* spaceComment = "SPACE=LPS";

/// A mesh as it stands in a file.
struct StoredMesh {
    TriangleMesh mesh;
    /// Names of the coordinate system in the file's comments and field data.
    std::vector<std::string> spaces;
};

/// Throws FileError naming `path`.
using Read = StoredMesh(const std::string& path, std::string_view content);
Read readVtp, readStl, readPly, readObj, readVtkSurface;
/// Whether the file is in VTK's legacy format and holds cells, not an image.
bool isVtkSurface(const std::string& path);
using Write = void(OutputFile& file, const TriangleMesh& mesh);
Write writeVtp, writeStl, writePly, writeObj;

/// Adds the words that follow SPACE= in a comment, as Slicer writes it. In another spelling, or
/// with a colon, only names of LPS and RAS are taken.
void addSpaces(std::string_view comment, std::vector<std::string>& spaces);

/// Adds a polygon as a fan of triangles. Its points may follow: readMesh() checks that there are so
/// many. Throws FileError for what can't be an index, and for fewer than three corners.
void addPolygon(const std::string& path, std::span<const std::int64_t> corners, TriangleMesh& mesh);

/// Adds a strip: each corner from the third on makes a triangle with the two before it. Throws as
/// addPolygon() does.
void addStrip(const std::string& path, std::span<const std::int64_t> corners, TriangleMesh& mesh);

/// Adds what lies between ends that ascend. Throws FileError if they don't, or end behind the
/// corners.
void addCells(const std::string& path, std::span<const std::int64_t> ends,
              std::span<const std::int64_t> corners, bool strips, TriangleMesh& mesh);

/// The next word as a number. Throws FileError.
double nextReal(const std::string& path, std::string_view& text);

} // namespace systole::meshes
