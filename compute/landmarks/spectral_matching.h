// Which matches of landmarks contradict the others, by the spectrum of how well they agree in pairs
// (Leordeanu & Hebert, A spectral technique for correspondence problems using pairwise constraints,
// ICCV 2005).
//
// A match is a landmark p with its displacement u. Two neighbors agree by
//     a_ij = exp(−½ (|u_i − u_j| / (σ + ε |p_i − p_j|))²),   a_ii = 1,
// which any motion passes whose displacement has a gradient below ε, contraction and shear alike,
// and noise of σ. Of a pair counts what those think that are neighbors of both:
//     s_ij = (A²)_ij / (N²)_ij,   N the pattern of A,
// the mean over them of a_ik a_kj. So an agreement by chance between a wrong match and a right one
// is not enough: the wrong one's other neighbors deny it. Pairs with s_ij below `link` are cut.
//
// What hangs together moves together: the two sides of a sliding wall, or a heart and the lung
// beside it, are components, each with a principal eigenvector of its own. A component much smaller
// than the largest one around it is wrong as a whole, however well its matches agree with each
// other, and in a component the matches that hang on weakly against their neighbors are.
#pragma once

#include "compute/landmarks/agreement.h"

namespace systole {

struct SpectralSettings {
    double noise = 1;       ///< σ, mm
    double gradient = 0.25; ///< ε
    int neighbors = 16;     ///< nearest ones that count, of each match; pairs are made symmetric
    double link = 0.3;      ///< least s of a pair that hangs together
    /// A component is wrong if it has fewer matches than this fraction of the largest around it.
    double smallest = 0.1;
    /// A match is wrong if its confidence is below this fraction of its linked neighbors' median.
    double confidence = 0.25;
    int fewestNeighbors = 4; ///< min for a judgment
};

struct SpectralReport {
    int components = 0; ///< connected groups of more than one match
    int rejectedAsComponent = 0, rejectedAsWeak = 0;
    int iterations = 0; ///< steps of the power iteration
};

/// Sets agrees[i] to 0 where counts[i] is set and match i is wrong, else to counts[i]. Arguments as
/// of judgeAgreement(). The square of A is taken on the device where ctx.backend is Cuda. Same bits
/// for any number of threads and on the device: entries of A are rounded to multiples of 2⁻¹⁶, so
/// that the sums are exact. Throws Cancelled.
SpectralReport judgeSpectrally(std::span<const Vec3> points, std::span<const Vec3> displacements,
                               std::span<const unsigned char> counts, const NeighborTable& table,
                               const SpectralSettings& settings, std::span<unsigned char> agrees,
                               const ExecContext& ctx);

} // namespace systole
