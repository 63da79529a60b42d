// The signed distance of a grid's voxels to a closed surface of triangles.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/triangle_mesh.h"
#include "compute/core/volume.h"

namespace systole {

/// `phi`, which lies on `geometry`, becomes the distance in mm from each voxel's center to the
/// nearest triangle, negative inside: exact up to five of the largest spacings; beyond, too large
/// by less than a tenth of it (exact everywhere if the mesh reaches beyond the grid). Inside is
/// what the surface winds around: where it overlaps itself, inside of any of its parts; turned
/// inside out, the same. Triangles inside such an overlap count for distances. Any geometry, shear
/// too. Reports the fraction done. Throws ComputeError if the sizes differ, for a surface that
/// isn't closed (it says how many edges are open), and if no voxel's center lies inside, or none
/// outside.
void signedDistanceOfMesh(const TriangleMesh& mesh, const Geometry& geometry, VolumeView<float> phi,
                          const ExecContext& ctx);

/// No body needs more voxels along an axis, but a mesh with a point gone astray does.
inline constexpr int maxVoxelsAlong = 4096;

/// A grid of cubes of `spacing` mm along the LPS axes that holds the mesh with `margin` mm around
/// it. Throws ComputeError for an empty mesh, and for one that would take more than `maxVoxels`,
/// or more than maxVoxelsAlong an axis.
Geometry gridAround(const TriangleMesh& mesh, double spacing, double margin, std::size_t maxVoxels);

} // namespace systole
