// How long the vectors of a field are.
#pragma once

#include "compute/core/volume.h"

#include <optional>

namespace systole {

/// Magnitudes, mm.
struct LengthStatistics {
    double mean = 0, percentile95 = 0, maximum = 0;
};

/// Of the voxels whose weight is at least one half; empty: of all. None: there is no such voxel.
std::optional<LengthStatistics> lengthStatistics(const MillimeterField& field,
                                                 VolumeView<const float> weight);
/// Of the magnitude of each component of the vectors, mm, of the same voxels.
std::optional<Vec3> componentMedians(const MillimeterField& field, VolumeView<const float> weight);

} // namespace systole
