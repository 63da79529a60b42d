// The isosurface by one plain loop over the cubes.
#pragma once

#include "compute/core/triangle_mesh.h"
#include "compute/core/volume.h"
#include "compute/surface/isosurface.h"

namespace systole {

/// As isosurface(), point for point.
TriangleMesh isosurfaceReference(VolumeView<const float> phi, const Geometry& geometry,
                                 SurfaceEdge edge);

} // namespace systole
