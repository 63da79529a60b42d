// A moving image on a grid of its own, seen from the fixed image's grid.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <memory>

namespace systole {

/// out(p) = moving image at the point that p + field(p) of the field's grid is in space; trilinear,
/// clamped at the border. `field` in voxels of its own grid, `out` on that grid.
void warpThroughSpace(const Volume& moving, const VectorField& field, VolumeView<float> out,
                      const ExecContext& ctx);

/// The image resampled to the grid; itself if it lies on it. Throws ComputeError if they have no
/// point of space in common.
std::shared_ptr<const Volume> onGrid(const std::shared_ptr<const Volume>& image,
                                     const Geometry& grid, const ExecContext& ctx);

} // namespace systole
