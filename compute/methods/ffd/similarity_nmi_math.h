// The Parzen window of one voxel and the derivative of one pair of bins: one formula for the host
// and CUDA.
#pragma once

namespace systole {

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
