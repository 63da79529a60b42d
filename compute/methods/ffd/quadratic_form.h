// Penalties that are quadratic in the control points: sums of mean products of derivatives of the
// displacement's components.
#pragma once

#include "compute/core/control_grid.h"
#include "compute/core/exec.h"
#include "compute/methods/ffd/basis_integrals.h"

#include <vector>

namespace systole {

/// A point's part of the sum is a multiple of this, so that the order of the sum doesn't matter.
inline constexpr double quadraticUnit = 1.0 / (1LL << 46);

/// weight · mean over the image of ∂^a d_to · ∂^b d_from, where a and b are the orders of
/// differentiation along each axis.
struct QuadraticTerm {
    int to = 0, from = 0; ///< components of the displacement
    int a[3] = {0, 0, 0}, b[3] = {0, 0, 0};
    double weight = 1;
};

/// The sum of the terms over the points, times `weight`. Its gradient by the points (voxels) is
/// added to `gradient` unless that is empty. Orders are those of quadratic_tiles.h. The list must
/// be symmetric: with a term also the one with to and from, a and b exchanged. The operations are
/// those of the device, in their order.
double addQuadratic(const std::vector<QuadraticTerm>& terms, const GridIntegrals& integrals,
                    ControlPointsView<const float> points, double weight,
                    ControlPointsView<float> gradient, const ExecContext& ctx);

} // namespace systole
