// Local normalized cross-correlation: the weighted mean of the squared correlation coefficient of
// both images in a Gaussian window. Cachier, Bardinet, Dormont, Pennec, Ayache, Computer Vision and
// Image Understanding 89(2–3), 2003.
//
//     cc = cov(F, W)² / ((var F + ε) (var W + ε))
//
// In a window, voxels count that the fixed image's mask lets count; with a mask of the moving image
// those with a weight.
#pragma once

#include "compute/methods/ffd/similarity.h"

namespace systole {

/// ε: where both images vary by less than about a gray value, there is nothing to compare.
inline constexpr float lnccFloor = 1;

/// Adds its memory to `space`. `window`: standard deviation in the level's smallest voxels.
std::unique_ptr<Similarity> makeLncc(double window, Size3 finest, Workspace& space);

} // namespace systole
