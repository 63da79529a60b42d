// The zero level of a signed distance as triangles.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/triangle_mesh.h"
#include "compute/core/volume.h"

namespace systole {

/// Shape of the surface where the inside reaches the grid's edge.
enum class SurfaceEdge {
    Closed, ///< a lid half a voxel beyond the last centers, on the outer faces of their boxes
    Open    ///< the surface ends with the last centers
};

/// The surface between negative values and others of `phi`, which lies on `geometry`, by marching
/// cubes: points in LPS mm on the lines between neighboring voxels where linear interpolation is 0
/// (at least 1/1024 of a voxel from both, so that no two points coincide), normals from the
/// interpolated gradient. Every edge belongs to two triangles that run along it in opposite
/// directions, but for the rim of an open surface. Points are in the order of the voxels below
/// them, then of axes; triangles in the order of their cubes: the same for any number of threads
/// and on every backend. No crossing gives an empty mesh. Throws ComputeError if sizes differ, or
/// for more than 2^32 points.
TriangleMesh isosurface(VolumeView<const float> phi, const Geometry& geometry, SurfaceEdge edge,
                        const ExecContext& ctx);

} // namespace systole
