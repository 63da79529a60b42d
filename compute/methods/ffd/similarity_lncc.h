// Local normalized cross-correlation: the weighted mean over Gaussian windows of
//
//     log((1 + κ) / (1 + κ − ρ²)) / log((1 + κ) / κ),   ρ² = cov(F, W)² / ((var F + ε) (var W + ε))
//
// 0 where no window is alike, 1 where all are. ρ² as in Cachier, Bardinet, Dormont, Pennec, Ayache,
// Computer Vision and Image Understanding 89(2–3), 2003. Its logarithm, since −½ log(1 − ρ²) is the
// mutual information of two windows of Gaussian gray values and the logarithm of their likelihood
// with unknown noise: a clean window decides more than a noisy one; κ bounds by how much.
//
// var W has what the warp took of W's noise added: without, windows are more alike where positions
// lie between voxels (compute/ops/lost_noise.h).
//
// In a window, voxels count that the fixed image's mask lets count; with a mask of the moving image
// those with a weight.
#pragma once

#include "compute/methods/ffd/similarity.h"
#include "compute/ops/logarithm.h"

#include <cmath>

namespace systole {

/// ε: where both images vary by less than about a gray value, there is nothing to compare.
inline constexpr float lnccFloor = 1;

/// κ: what stays unexplained in the best window. A window that agrees entirely pulls (1 + κ) / κ
/// times as much as one that hardly does.
inline constexpr float lnccRest = 0.2f;
inline constexpr float lnccLogOfWhole = 0.18232156f; ///< log(1 + κ)
inline constexpr float lnccPerLog = 0.55811063f;     ///< 1 / log((1 + κ) / κ)

/// A window's sums over what counts there (WindowProducts of the rows), and what was found of the
/// fixed image.
struct LnccWindow {
    float inverse, meanA, varianceA; ///< 1 / sum of what counts, 0 where nothing does
    float b, square, product;
};
/// weight · what the window counts (0 to 1, on onSumGrid()), and the derivative's factors of a, b
/// and 1.
struct LnccTerms {
    float counted, ofA, ofB, ofOne;

    constexpr LnccTerms(const LnccWindow& w, float weight) {
        const float meanB = w.inverse * w.b;
        const float more = fused(-meanB, meanB, w.inverse * w.square);
        const float varianceA = w.varianceA + lnccFloor,
                    varianceB = (more > 0 ? more : 0.0f) + lnccFloor;
        const float covariance = fused(-w.meanA, meanB, w.inverse * w.product);
        const float ratio = covariance / (varianceA * varianceB);
        const float correlation = ratio * covariance;
        // κ to 1 + κ; rounding may take the correlation above 1.
        const float unexplained = 1 + lnccRest - (correlation < 1 ? correlation : 1.0f);
        counted = onSumGrid(weight, lnccPerLog * (lnccLogOfWhole - logarithmOf(unexplained)));
        const float by = weight * (w.inverse * (2 * lnccPerLog)) / unexplained;
        ofA = by * ratio;
        ofB = -(by * (correlation / varianceB));
        ofOne = fused(ofA, w.meanA, ofB * meanB);
    }
};

/// The geometric mean of the windows' unexplained parts over 1 + κ: 1 where nothing is alike,
/// κ / (1 + κ) where everything is. `energy` is that of the similarity, −1 to 0.
inline double unexplainedShare(double energy) {
    return std::exp(energy / static_cast<double>(lnccPerLog));
}

/// Adds its memory to `space`. `window`: standard deviation in the level's smallest voxels.
std::unique_ptr<Similarity> makeLncc(double window, Size3 finest, Workspace& space);

} // namespace systole
