// The relaxation that predicts landmarks best that were left out of the fit.
//
// With A = −K₂₂ = U Λ Uᵀ (compute/landmarks/thin_plate_equations.h), one decomposition for every κ:
//     G(κ) = Q₂ U (Λ + κ)⁻¹ Uᵀ Q₂ᵀ,   w = −G d
// and the spline without the landmarks B misses them by e_B = −(G_BB)⁻¹ w_B, without another fit.
// (Wahba: Spline models for observational data, 1990, section 4.2, for blocks.)
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <span>

namespace systole {

struct CrossValidation {
    double kappa = 0;
    double error = 0; ///< root mean square length of e, in the landmarks' unit
};

struct CrossValidationSettings {
    int folds = 10; ///< every tenth landmark is left out at a time; fewer landmarks: each alone
    /// Max landmarks used, every n-th if there are more: κ is the ratio of the noise's variance to
    /// the motion's roughness, which doesn't depend on their number.
    int landmarks = 400;
};

/// Throws ComputeError as fitThinPlate() does. With fewer than six landmarks nothing can be
/// validated: κ = 0, error NaN.
CrossValidation chooseKappa(std::span<const Vec3> from, std::span<const Vec3> to,
                            const CrossValidationSettings& settings, const ExecContext& ctx);

/// The cross-validated error for a given κ.
double validationError(std::span<const Vec3> from, std::span<const Vec3> to, double kappa,
                       const CrossValidationSettings& settings, const ExecContext& ctx);

} // namespace systole
