// Draws of the error that noise leaves in a motion that CLG found, from the linear system of its
// last warp.
//
// The motion t solves (J + alpha L) t = b, b a sum of the data term's gradients s of all voxels,
// smoothed like the tensor (K). A draw gives every voxel's gradient a random weight of mean 0 and
// variance 1 and solves
//
//     (J + alpha L) d = K (eta s),
//
// so that d has the covariance of an M-estimator, A⁻¹ B A⁻¹, with B from what the solution leaves
// of the data term (White, Econometrica 48 (1980); random weights: Wu, Annals of Statistics 14
// (1986)). Weights are alike within a width, so that voxels that err together do so in the draw
// (Shao, Journal of the American Statistical Association 105 (2010)).
#pragma once

#include "compute/methods/clg/solver/system.h"

#include <cstdint>

namespace systole::clg {

/// The system of a solved warp.
struct SolvedSystem {
    ClgSystem system;                ///< coefficient[6..8] are written over
    FieldView<const float> gradient; ///< gradient of the data term, before the tensor's smoothing
    Vec3 sigma;                      ///< sigma of the tensor's smoothing, voxels of each axis
};

/// The draw of a number, in smallest spacings; `width`: sigma of the Gaussian that smooths white
/// weights, smallest spacings. Draws of one number and different widths are of the same white
/// weights. The same bits for any number of threads. Takes two volumes and what the solver takes
/// from ctx.pool. Throws Cancelled.
void drawError(const SolvedSystem& solved, double width, std::uint64_t number, FieldView<float> out,
               const ExecContext& ctx);

} // namespace systole::clg
