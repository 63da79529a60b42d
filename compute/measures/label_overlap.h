// How well the labels of two images agree, after one of them was moved.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <vector>

namespace systole {

/// One label in both maps.
struct LabelOverlap {
    int label = 0;
    std::size_t fixedVoxels = 0, movedVoxels = 0;
    double dice = 0; ///< 2 |A ∩ B| / (|A| + |B|)
    /// Mean symmetric surface distance: the mean distance from the surface of A to the nearest
    /// point of that of B, averaged with the reverse. A surface voxel has at least one of its six
    /// neighbors outside the label or the grid; distances are between centers. NaN if a map lacks
    /// the label.
    double surfaceMillimeters = 0;
};

/// Every label but 0 of either map, ascending. Both maps on the host and on `geometry`; values
/// round to their labels.
std::vector<LabelOverlap> labelOverlaps(const Geometry& geometry, VolumeView<const float> fixed,
                                        VolumeView<const float> moved, const ExecContext& ctx);

} // namespace systole
