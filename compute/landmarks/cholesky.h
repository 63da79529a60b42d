// Cholesky decomposition of a large matrix, tile by tile, so that all threads take part; Eigen
// computes the tiles. Eigen's own decomposition runs on one thread.
#pragma once

#include "compute/core/exec.h"

#include <Eigen/Core>

namespace systole {

/// Overwrites the lower triangle of the symmetric matrix, of which only it is read, with L,
/// A = L Lᵀ; what lies above is undefined. Returns the smallest pivot L_ii², or 0 where the matrix
/// isn't positive definite. Same bits for any number of threads.
double choleskyInPlace(Eigen::Ref<Eigen::MatrixXd> matrix, const ExecContext& ctx);

} // namespace systole
