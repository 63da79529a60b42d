// Penalty of volume change: the mean of log² det(I + ∇d) over eight Gauss points per tile.
// Modat et al., Computer Methods and Programs in Biomedicine 98(3), 2010, section 2.2.2. Below
// jacobianFloor, where the logarithm grows without end, it goes on along its tangent: folds have a
// finite value and a gradient that unfolds them.
#pragma once

#include "compute/core/control_grid.h"
#include "compute/core/exec.h"

namespace systole {

inline constexpr double jacobianFloor = 0.1;

/// weight · penalty at the points; its gradient by the points (voxels) is added to `gradient`
/// unless that is empty. Backend::CpuReference sums over the 64 control points of each Gauss point
/// in double precision, others axis by axis in single precision, with the same bits on all.
double addJacobianPenalty(ControlPointsView<const float> points, double weight,
                          ControlPointsView<float> gradient, const ExecContext& ctx);

} // namespace systole
