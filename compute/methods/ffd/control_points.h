// Control grids of several resolutions: exact refinement, and the spline nearest to a field.
#pragma once

#include "compute/core/control_grid.h"
#include "compute/core/exec.h"

#include <array>

namespace systole {

/// Writes the displacement of `coarse` as control points of a finer grid of the same middle, such
/// as that of the next finer level (levels.h). `refinement` is the coarse spacing in fine ones (1,
/// or 2 where the fine grid has an even number of tiles), `factor` the fine voxels per coarse voxel
/// (1 or 2), by which displacements are multiplied. Lane and Riesenfeld, IEEE PAMI 2(1), 1980: knot
/// insertion.
void refine(ControlPointsView<const float> coarse, std::array<int, 3> refinement,
            std::array<int, 3> factor, ControlPointsView<float> fine, const ExecContext& ctx);

/// Control points of a spline near `field` (of the grid's image): the quasi-interpolant
/// c = s − δ²s/6 along each axis of the samples s at the control points, which reproduces affine
/// fields exactly; between voxels and beyond the image the field is linear.
void approximate(FieldView<const float> field, ControlPointsView<float> points);

} // namespace systole
