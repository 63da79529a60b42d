// Statistics of volumes.
#pragma once

#include "compute/core/volume.h"

#include <vector>

namespace systole {

/// The values below which the given fractions (0–1) of all voxels lie, nearest rank. Samples at
/// most about a million evenly spread voxels.
std::vector<float> quantiles(VolumeView<const float> volume, const std::vector<double>& parts);

} // namespace systole
