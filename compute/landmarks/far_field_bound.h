// How well polynomials interpolate the distance to a point far away: the bound behind
// compute/landmarks/far_field.h.
//
// Along one axis of a box, at fixed other coordinates, the distance to p is √((t − a)² + b²). Its
// branch points lie on the Bernstein ellipse ρ + 1/ρ = s around the box's interval of half-width h,
// s = (d₁ + d₂) / h with the distances of p from the interval's ends. With t = ½ h (u + 1/u) the
// distance is ½ h ρ times factors √(1 − x), x = u/v …, whose power series bound its Chebyshev
// coefficients: |a_n| ≤ h ρ Σ_m b_{n+m} b_m ρ^{−n−2m}, (2 − √(1 − x))² = Σ b_m x^m, b falling.
// Interpolation in the q + 1 Chebyshev points errs by at most 2 Σ_{n>q} |a_n| (Trefethen:
// Approximation theory and approximation practice, theorems 3.1 and 4.2), hence by at most
//     2 h ρ b_{q+1} ρ^{−q−1} / (1 − 1/ρ) · (2 − √(1 − ρ⁻²))²
#pragma once

namespace systole {

/// Bound of the interpolation error along one axis over the half-width, for a degree of 1 or more
/// and s > 2; falls with s.
double interpolationBound(int degree, double s);

/// The least s for which interpolation along up to three axes errs by no more than `error` times
/// the largest half-width; infinite for error = 0.
double minSeparation(int degree, double error);

} // namespace systole
