// A part of the field of a B-spline, for pictures of slices: the rest is not computed.
#pragma once

#include "compute/core/control_grid.h"
#include "compute/core/exec.h"
#include "compute/core/voxel_box.h"

namespace systole {

/// bsplineField() (compute/ops/bspline_field.h) for the voxels of a box of the grid's image;
/// `field` has the box' size. On the host, in parallel over rows; same bits for any number of
/// threads. Throws ComputeError unless sizes fit and the box lies in the image.
void bsplineFieldInBox(ControlPointsView<const float> points, const VoxelBox& box,
                       FieldView<float> field, const ExecContext& ctx);

} // namespace systole
