// Values of a volume at the points of a surface, by trilinear interpolation; outside the grid those
// of its border.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/triangle_mesh.h"
#include "compute/core/volume.h"
#include "compute/surface/isosurface_device.h"

#include <vector>

namespace systole {

/// Values interpolated at the mesh's points, which are in LPS mm. `values` on the host.
std::vector<float> valuesAtPoints(VolumeView<const float> values, const Geometry& geometry,
                                  const TriangleMesh& mesh, const ExecContext& ctx);

/// valuesAtPoints() for values and mesh in device memory; the result is copied to the host, and the
/// call waits for it. Defined in builds with CUDA (cudaIsBuilt).
std::vector<float> valuesAtPointsOnDevice(VolumeView<const float> values, const Geometry& geometry,
                                          const DeviceMesh& mesh, const ExecContext& ctx);

} // namespace systole
