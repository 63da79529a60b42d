// A spline that folds, changed until it doesn't.
#pragma once

#include "compute/core/control_grid.h"
#include "compute/core/exec.h"

namespace systole {

/// Minimum determinant of I + ∇d that unfold() leaves anywhere in the image.
inline constexpr double minFfdDeterminant = 0.05;

/// Moves points of tiles whose determinant may be below minFfdDeterminant (determinant_bound.h)
/// towards the means of their neighbors, in rounds, from some round on those around them too, until
/// none is; at last all points are shortened. Returns whether it changed anything. Same bits for
/// any number of threads; throws Cancelled.
///
/// `start` (empty: zero) is an affine displacement on the same points that is added; one that
/// nearly folds itself is left alone. `unit`: lengths of a voxel along each axis.
bool unfold(ControlPointsView<float> points, FieldView<const float> start, Vec3 unit,
            const ExecContext& ctx);

/// Whether the displacement of these points is affine, to a thousandth of a voxel.
bool isAffine(FieldView<const float> points);

/// Averages the sum of any dense `start` and a spline where it folds at a voxel
/// (compute/ops/exponential.h). The sum stays as it is if the start folds, or if averaging doesn't
/// help. Takes unfoldSumScratch() floats from the pool of ctx where it folds.
void unfoldSum(FieldView<float> sum, FieldView<const float> start, const ExecContext& ctx);
constexpr std::size_t unfoldSumScratch(Size3 size) { return 7 * size.voxels(); }

} // namespace systole
