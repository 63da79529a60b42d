// The relaxed thin-plate spline that maps one frame's coordinates to another's through pairs of
// landmarks (Wu et al. 2019, eq. 26):
//     f(μ) = r1 + r2·x + r3·y + r4·z + Σ_j w_j ‖p_j − μ‖
// with one set of coefficients for each of x, y and z. (r, w) solve (K − κI, P; Pᵀ, 0) with K_ij =
// ‖p_i − p_j‖ and rows (1, p_i) of P. The kernel r is conditionally negative definite, hence the
// minus: a residual is −κ·w_i, and a larger κ bends less.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <array>
#include <span>
#include <vector>

namespace systole {

struct ThinPlateSpline {
    std::vector<Vec3> landmarks;                   ///< p_j
    std::vector<Vec3> weights;                     ///< weights w_j for x, y and z
    std::array<std::array<double, 4>, 3> affine{}; ///< coefficients r1 … r4 for x, y and z

    Vec3 at(Vec3 position) const; ///< f in double precision
};

/// The spline with f(from_i) = to_i − (its residual), in the landmarks' unit, which is also κ's.
/// Dense: memory and time grow with the square and the cube of the number of landmarks. Throws
/// ComputeError unless `from` and `to` have the same length of at least four, all are finite and
/// not in one plane, kappa is finite and at least 0, and for κ = 0 no two landmarks coincide.
/// On the calling thread.
ThinPlateSpline fitThinPlate(std::span<const Vec3> from, std::span<const Vec3> to, double kappa);
/// Overload with a relaxation for each landmark, K − diag(κ_i), on all threads; same bits for any
/// number of them. Landmarks may lie in a plane or on a line: across it the displacement f(μ) − μ
/// then has no slope.
ThinPlateSpline fitThinPlate(std::span<const Vec3> from, std::span<const Vec3> to,
                             std::span<const double> relaxation, const ExecContext& ctx);

/// Where the dense system is solved.
enum class ThinPlateSolve {
    /// The device where the context is CUDA, cuSOLVER is there and it is faster; else the host.
    Automatic,
    Host,
    Device ///< ComputeError without cuSOLVER
};
/// Min number of landmarks for which the device is faster (`systole bench landmarks`).
inline constexpr int landmarksForDevice = 300;
/// Overload that selects where the system is solved. Results of host and device agree within
/// rounding, and each has the same bits run after run.
ThinPlateSpline fitThinPlate(std::span<const Vec3> from, std::span<const Vec3> to,
                             std::span<const double> relaxation, ThinPlateSolve where,
                             const ExecContext& ctx);

} // namespace systole
