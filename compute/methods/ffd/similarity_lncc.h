// Local normalized cross-correlation: the weighted mean over Gaussian windows of
//
//     log((1 + κ) / (1 + κ − ρ²)) / log((1 + κ) / κ),   ρ² = cov(F, W)² / ((var F + ε) (var W + ε))
//
// 0 where no window is alike, 1 where all are. ρ² as in Cachier, Bardinet, Dormont, Pennec, Ayache,
// Computer Vision and Image Understanding 89(2–3), 2003. Its logarithm, since −½ log(1 − ρ²) is the
// mutual information of two windows of Gaussian gray values and the logarithm of their likelihood
// with unknown noise: a clean window decides more than a noisy one; κ bounds by how much.
//
// In a window, voxels count that the fixed image's mask lets count; with a mask of the moving image
// those with a weight.
#pragma once

#include "compute/methods/ffd/similarity.h"
#include "compute/methods/ffd/similarity_lncc_math.h"

#include <cmath>

namespace systole {

/// The geometric mean of the windows' unexplained parts over 1 + κ: 1 where nothing is alike,
/// κ / (1 + κ) where everything is. `energy` is that of the similarity, −1 to 0.
inline double unexplainedShare(double energy) {
    return std::exp(energy / static_cast<double>(lnccPerLog));
}

/// Adds its memory to `space`. `window`: standard deviation in the level's smallest voxels.
std::unique_ptr<Similarity> makeLncc(double window, Size3 finest, Workspace& space);

} // namespace systole
