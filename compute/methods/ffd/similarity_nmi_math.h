// The Parzen window of one voxel and the derivative of one pair of bins: one formula for the host
// and CUDA.
#pragma once

#include <bit>
#include <cstdint>

namespace systole {

/// The natural logarithm of a count, 1 or more: within one unit of the last place, and with the
/// same bits everywhere where products aren't fused by the compiler. log(1 + f) = f − f²/2 + s
/// (f²/2 + R), s = f / (2 + f), R a polynomial in s²: the algorithm of FreeBSD's e_log.c (Sun
/// Microsystems, 1993).
constexpr double logOfCount(double count) {
    constexpr std::uint64_t lowest = 0x3fe6a09e00000000, one = 0x3ff0000000000000; // √½, 1
    constexpr std::uint64_t mantissa = (std::uint64_t{1} << 52) - 1;
    const std::uint64_t moved = std::bit_cast<std::uint64_t>(count) + (one - lowest);
    const auto twos = static_cast<double>(static_cast<int>(moved >> 52) - 1023);
    const double f = std::bit_cast<double>((moved & mantissa) + lowest) - 1;
    const double s = f / (2 + f), z = s * s, w = z * z;
    const double even = w * (3.999999999940941908e-01 +
                             w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    const double odd = z * (6.666666666666735130e-01 +
                            w * (2.857142874366239149e-01 +
                                 w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    const double half = 0.5 * f * f;
    return s * (half + (odd + even)) + twos * 1.90821492927058770002e-10 - half + f +
           twos * 6.93147180369123816490e-01;
}

/// The cubic B-spline's four weights at t in 0 … 1 past the second of four bins, and their
/// derivatives.
struct ParzenWindow {
    float weight[4];

    constexpr explicit ParzenWindow(float t)
        : weight{(1 - t) * (1 - t) * (1 - t) / 6, (3 * t * t * t - 6 * t * t + 4) / 6,
                 (3 * (1 - t) * (1 - t) * (1 - t) - 6 * (1 - t) * (1 - t) + 4) / 6, t * t * t / 6} {
    }
    static constexpr float derivative(int k, float t) {
        const float s = 1 - t;
        return k == 0   ? -0.5f * s * s
               : k == 1 ? 0.5f * (3 * t * t - 4 * t)
               : k == 2 ? -0.5f * (3 * s * s - 4 * s)
                        : 0.5f * t * t;
    }
};

/// Entropies H(fixed) + H(warped) and H(fixed, warped) of a histogram, from its sums of n log n.
struct NmiEntropies {
    double marginal = 0, joint = 0, total = 0, logTotal = 0;

    /// −Σ p log p = log N − Σ n log n / N; empty bins take part in no sum. `total` > 0.
    constexpr NmiEntropies(double sumTotal, double logOfTotal, double ofMargins, double ofPairs)
        : marginal(2 * logOfTotal - ofMargins / sumTotal)
        , joint(logOfTotal - ofPairs / sumTotal)
        , total(sumTotal)
        , logTotal(logOfTotal) {}

    /// One pair of bins has no entropy: there is nothing to compare.
    constexpr bool comparable() const { return joint > 1e-9; }
    constexpr double nmi() const { return marginal / joint; }
    /// d nmi / d count, with `unit` counts for a voxel. Changes of a voxel's four counts add up to
    /// zero, so that constants drop out, and with them the fixed image's margin.
    constexpr float derivative(double unit, double logCount, double logColumn) const {
        return static_cast<float>(
            unit / (total * joint * joint) *
            (marginal * (logCount - logTotal) - joint * (logColumn - logTotal)));
    }
};

} // namespace systole
