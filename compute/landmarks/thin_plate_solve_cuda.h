// The parts of a thin-plate fit on the device whose work grows with the square and the cube of the
// number of landmarks. Matrices are on the host, column after column.
#pragma once

#include "compute/core/exec.h"

#include <span>

namespace systole::gpu {

/// out = (K − D) right, for n landmarks `from` (n × 3), one relaxation each, and matrices of
/// `columns` columns, at most 4. The same bits run after run. Defined in builds with CUDA.
void thinPlateProduct(std::span<const double> from, std::span<const double> relaxation,
                      std::span<const double> right, int columns, std::span<double> out,
                      const ExecContext& ctx);

/// Overwrites gamma (free × 3) with the solution of (D − K)₂₂ γ = gamma by ctx.cuda's dense solver,
/// which must be there. (D − K)₂₂ is made on the device: the lower rows of D − K + V Yᵀ + Y Vᵀ,
/// with v and y of n × rank (thin_plate_equations.h). Returns the smallest pivot of the
/// decomposition, 0 where the matrix isn't positive definite. Throws OutOfMemory.
double solveThinPlate(std::span<const double> from, std::span<const double> relaxation,
                      std::span<const double> v, std::span<const double> y, int rank,
                      std::span<double> gamma, const ExecContext& ctx);

} // namespace systole::gpu
