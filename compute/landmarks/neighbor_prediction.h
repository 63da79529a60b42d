// Each landmark's displacement as predicted from its neighbors, without itself, and how sure that
// is: the spline's model, as kriging writes it.
//
// A thin-plate spline is the expectation of a random displacement with covariance S(p, q) − ‖p −
// q‖, S an affine map of large variance, seen with noise of variance κ_j at landmark j (Wahba
// 1990). From the neighbors N:
//     ê = cᵀ C⁻¹ d,   v = c₀ − cᵀ C⁻¹ c,   C_jk = cov(p_j, p_k) + κ_j δ_jk,  c_j = cov(p_j, p)
// A landmark misses its prediction by √(τ² (v + κ)) on average, τ one number for all of them.
// Neighbors screen those further away, hence a few are enough.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/geometry.h"
#include "compute/landmarks/agreement.h"

#include <span>

namespace systole {

struct NeighborPrediction {
    Vec3 displacement;
    double variance = 0; ///< v, in units of length
    bool known = false;  ///< false: too few neighbors
};

/// How many neighbors a prediction is made from, and of how many nearest they are chosen.
inline constexpr int predictingNeighbors = 40, consideredNeighbors = 64;

/// Predicts all of them. Neighbors with a weight of 0 are left out, others have κ_j = kappa /
/// weight. The table is of these points, `consideredNeighbors` or more.
void predictFromNeighbors(std::span<const Vec3> points, std::span<const Vec3> displacements,
                          std::span<const double> weights, double kappa, const NeighborTable& table,
                          std::span<NeighborPrediction> predictions, const ExecContext& ctx);

} // namespace systole
