// A thin-plate spline on a whole grid, with the terms of distant landmarks interpolated.
//
// The grid is cut into boxes, and those into halves. In a box the sum over the landmarks that lie
// far from it, but not from the box around it, is computed at the (q + 1)³ Chebyshev points and
// goes on to its halves as a polynomial, without further error. In the smallest boxes the points
// are the voxels themselves, and the sum over the landmarks still left is exact. Far is what the
// bound of compute/landmarks/far_field_bound.h says for ε = tolerance / Σ ‖w_j‖: then all of them
// together err by no more than the tolerance, wherever they lie. The degree q is that of least
// work.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/landmarks/thin_plate.h"

namespace systole {

struct FarFieldWork {
    int degree = 0;
    double terms = 0; ///< distances computed, estimated from some of the boxes
};

/// displacement(p) = (f(S p) − S p) / S at every voxel p, S the spacing, f in mm: in voxels. The
/// length of its error in smallest voxel spacings is at most `tolerance`, and besides what single
/// precision leaves, as in transformGrid(); 0: no term is interpolated. Throws ComputeError for a
/// tolerance below 0. Same bits for any number of threads.
FarFieldWork displacementOnGrid(const ThinPlateSpline& spline, Vec3 spacing, double tolerance,
                                FieldView<float> displacement, const ExecContext& ctx);

} // namespace systole
