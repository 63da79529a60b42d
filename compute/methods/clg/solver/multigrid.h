// Geometric multigrid for the CLG system: V-cycles of red-black sweeps, full weighting of residual
// and tensor, trilinear correction. The step of the grid doubles along axes of more than a few
// voxels; the smoothness of a doubled axis falls to a quarter.
#pragma once

#include "compute/methods/clg/solver/system.h"

namespace systole {

/// Runs V(2,2)-cycles until options.sweeps fine sweeps are spent or the change of the last one is
/// below the tolerance.
SolveResult solveMultigrid(const ClgSystem& system, FieldView<float> t, const SolveOptions& options,
                           const ExecContext& ctx);
/// Maximum bytes that it takes from the pool; `smootherBytes`: those of sweeps on the finest grid.
std::size_t multigridBytes(Size3 size, bool weighted, std::size_t smootherBytes);

} // namespace systole
