// Displacements between two images whose grids differ in size, spacing, origin or direction. A
// displacement is given in voxels of the fixed grid, along its axes, also where the moving image
// has another grid: the point at fixed index x lies at fixed.indexToPhysical(x + d(x)).
#pragma once

#include "compute/core/affine_map.h"
#include "compute/core/control_grid.h"
#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

/// Map from the indices of one grid to those of another: the index in `to` of the point to which
/// `map` takes the point at an index of `from`.
AffineMap indexAffine(const Geometry& from, const Geometry& to, const AffineMap& map = {});

/// The first voxel of a grid decimated by these factors, in voxels of the grid (see decimation.h).
Vec3 decimationShift(Size3 size, Size3 factor);

/// field(x) ← the displacement of x to map(x + field(x)): the map is appended. A zero field becomes
/// the map itself.
void appendAffine(const AffineMap& map, const Geometry& fixed, FieldView<float> field,
                  const ExecContext& ctx);

/// The grid of an image's control points in space.
Geometry controlGeometry(const Geometry& image, const ControlGrid& grid);

/// Adds the displacement of the map at each control point (voxels of `image`, the grid that they
/// cover). Cubic B-splines reproduce affine maps: this adds it to every point of the field.
void addAffine(const AffineMap& map, const Geometry& image, ControlPointsView<float> points);

/// A displacement in LPS mm as one in voxels of another grid, trilinear, clamped at the border of
/// its own grid; exact where both grids match.
VectorField fieldOnGrid(const MillimeterField& field, const Geometry& grid, const ExecContext& ctx);

/// Field of the control points of a cubic B-spline: displacements in LPS mm on a controlGeometry(),
/// clamped at the border of the control points.
VectorField splineOnGrid(const MillimeterField& controlPoints, const Geometry& grid,
                         const ExecContext& ctx);

} // namespace systole
