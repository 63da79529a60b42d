// Control grids of several resolutions: exact refinement, and the spline nearest to a field.
#pragma once

#include "compute/core/control_grid.h"
#include "compute/core/exec.h"

#include <array>
#include <vector>

namespace systole {

/// The same displacement on a finer grid: exactly where both images begin at the same place, else
/// to the second order of the quarter of a coarse voxel between them (compute/ops/decimation.h).
/// `refinement` is the coarse spacing in fine ones (1 or 2 along each axis), `factor` the fine
/// voxels per coarse voxel (1 or 2), by which displacements are multiplied. Lane and Riesenfeld,
/// IEEE PAMI 2(1), 1980: knot insertion.
void refine(ControlPointsView<const float> coarse, std::array<int, 3> refinement,
            std::array<int, 3> factor, ControlPointsView<float> fine);

/// The control points of a decimated image, brought to where they lie if its first voxel is that of
/// the finer image (compute/ops/decimation.h): the same displacement, to the second order.
std::vector<float> fromFirstVoxel(Size3 fineImage, ControlPointsView<const float> coarse,
                                  std::array<int, 3> factor);

/// Control points of a spline near `field` (of the grid's image): the quasi-interpolant
/// c = s − δ²s/6 along each axis of the samples s at the control points, which reproduces affine
/// fields exactly; beyond the image they go on linearly.
void approximate(FieldView<const float> field, ControlPointsView<float> points);

} // namespace systole
