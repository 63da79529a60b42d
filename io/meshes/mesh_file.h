// Surfaces of triangles on disk: .vtp (VTK's XML), .stl, .ply and .obj; .vtk (VTK's legacy format)
// is read only. Readers are our own: VTK's crash on damaged files.
//
// Coordinates are LPS millimeters, and the files say so: "SPACE=LPS" in the comment of .stl, .ply
// and .obj, a string array SPACE in the field data of .vtp, as 3D Slicer writes and reads it. Both
// are read in all formats that have them, RAS is turned into LPS, and what names neither is
// refused; files that say nothing are taken as LPS.
#pragma once

#include "compute/core/triangle_mesh.h"

#include <string>

namespace systole {

/// Reads a mesh, told apart by extension. Polygons become fans of triangles, points of the same
/// coordinates become one, triangles without area by their indices are dropped, and normals are
/// left out. Throws FileError for damaged files, files without triangles, those that name two
/// coordinate systems, and those over 4 GiB.
TriangleMesh readMesh(const std::string& path);

/// Writes points, normals if there are any, and triangles: binary but for .obj. Throws FileError if
/// it can't, or for another extension.
void writeMesh(const std::string& path, const TriangleMesh& mesh);

/// Whether the name ends with an extension of those that are written; whatever its case.
bool isMeshName(const std::string& path);
/// Whether the file is one of readMesh(): by its extension; .vtk, which may be an image, too, by
/// its content.
bool isMeshFile(const std::string& path);

} // namespace systole
