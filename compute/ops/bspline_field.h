// The dense displacement field of a cubic B-spline, and the transposed operator that turns values
// per voxel into sums per control point. Layout of the control points:
// compute/core/control_grid.h. Rueckert et al., IEEE TMI 18(8), 1999, eq. 2.
#pragma once

#include "compute/core/control_grid.h"
#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <span>

namespace systole {

/// field(x) = Σ weight(x, p) · points(p), in voxels. Everything on the host; Backend::CpuReference
/// is the plain loop. Throws ComputeError unless the field has the grid's image size, the points
/// its number of control points, and the tile at least one voxel along each axis.
void bsplineField(ControlPointsView<const float> points, FieldView<float> field,
                  const ExecContext& ctx);

/// The transposed operator: sums(p) = Σ_x weight(x, p) · perVoxel(x), the gradient with respect to
/// the control points of a sum over voxels whose gradient with respect to the field is perVoxel.
/// Same bits for any number of threads. Takes bsplineGradientScratch() floats from the pool of ctx.
/// Throws ComputeError for the same reasons as bsplineField(), and OutOfMemory.
void bsplineGradient(FieldView<const float> perVoxel, ControlPointsView<float> sums,
                     const ExecContext& ctx);

/// Floats that bsplineGradient() needs: the sums of each plane of voxels over x and y.
std::size_t bsplineGradientScratch(const ControlGrid& grid);

} // namespace systole
