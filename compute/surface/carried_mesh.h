// A surface that moves with the tissue: its points follow the displacements of their frame.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/triangle_mesh.h"
#include "compute/core/volume.h"

#include <vector>

namespace systole {

/// The mesh with each point p of the motion's fixed frame moved to p + w(p) of the moving one; w is
/// trilinear, and beyond the grid that of its border. Triangles stay; normals are those of the
/// moved triangles. Field on the host.
TriangleMesh carried(const TriangleMesh& mesh, const VectorField& motion, const ExecContext& ctx);

/// Sets unit normals at the points: the mean of the triangles around, weighted by their areas. A
/// point without triangles has a zero normal.
void setNormals(TriangleMesh& mesh);

/// Mean curvature at the points in 1/mm, positive where the surface is convex: the cotangent
/// Laplacian over a third of the area around (Meyer et al. 2003), averaged over a point and its
/// neighbors. Needs normals. 0 at points without area.
std::vector<float> meanCurvature(const TriangleMesh& mesh, const ExecContext& ctx);

} // namespace systole
