// The resolutions at which two images of different grids are matched.
#pragma once

#include "compute/core/geometry.h"

#include <array>
#include <vector>

namespace systole::affine {

/// The grids of one image at every resolution, coarser and coarser, and the decimations that lead
/// from each to the next.
struct ImageLevels {
    std::vector<std::array<int, 3>> factors; ///< factors of each decimation, 1 or 2 per axis
    std::vector<Geometry> grids;             ///< the image's own, then one after each decimation
    std::vector<std::size_t> ofLevel;        ///< index in `grids` of each level; 0 is the finest
};

struct PairLevels {
    ImageLevels fixed, moving;
    int count() const { return static_cast<int>(fixed.ofLevel.size()); }
};

/// The levels of both images, at most `maxLevels`. Level l has voxels of 2^l times the spacing of
/// the finest, which is the larger of both images' smallest spacings. An image is decimated along
/// each axis until its spacing is as near to that as halving can make it: thick slices wait until
/// the other axes have caught up. An axis that would have fewer than `minSamples` isn't halved.
/// Levels end where halving changes no axis of the fixed image.
PairLevels pairLevels(const Geometry& fixed, const Geometry& moving, int maxLevels);

inline constexpr int minSamples = 16;

/// Smallest spacing among the axes of more than one voxel, mm.
double smallestSpacing(const Geometry& grid);

} // namespace systole::affine
