// Statistics of the lengths of a field's vectors.
#pragma once

#include "compute/core/volume.h"

#include <optional>

namespace systole {

/// Magnitudes, mm.
struct LengthStatistics {
    double mean = 0, percentile95 = 0, maximum = 0;
};

/// Statistics of the voxels whose weight is at least one half, or of all voxels if `weight` is
/// empty. None: there is no such voxel.
std::optional<LengthStatistics> lengthStatistics(const MillimeterField& field,
                                                 VolumeView<const float> weight);
/// Median magnitude of each component of the vectors, mm, over the same voxels.
std::optional<Vec3> componentMedians(const MillimeterField& field, VolumeView<const float> weight);

} // namespace systole
