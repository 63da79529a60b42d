// Starts of an affine registration.
#pragma once

#include "compute/methods/ffd/affine.h"
#include "compute/methods/ffd/affine_steps.h"

namespace systole::affine {

struct Start {
    AffineStart kind;
    AffineMap map;
};

/// The initial map, and those with its linear part that bring the centers of mass (of the gray
/// values above the smallest one, in the masks) and of the grids together.
std::vector<Start> possibleStarts(const HostImage& fixed, const HostImage& moving,
                                  const AffineMap& initial);

/// How well the images agree under a map, over the fixed image's voxels that lie in both masks.
struct Agreement {
    /// Normalized mutual information (Studholme et al., Pattern Recognition 32, 1999), 1 to 2, with
    /// 32 bins from the 1st to the 99th percentile of each image.
    double information = 1;
    double overlap = 0; ///< common volume as a share of the smaller image's
    /// Measure by which maps are compared; it is low where the overlap is small.
    double evidence() const { return (information - 1) * overlap; }
};
Agreement agreement(const HostImage& fixed, const HostImage& moving, const AffineMap& map);

} // namespace systole::affine
