// Statistics of volumes.
#pragma once

#include "compute/core/volume.h"

#include <vector>

namespace systole {

/// The values below which the given parts (0–1) of all voxels lie, nearest rank. At most about a
/// million voxels, evenly spread, are looked at.
std::vector<float> quantiles(VolumeView<const float> volume, const std::vector<double>& parts);

/// det(I + ∇w) by central differences at voxel (x, y, z), which must not lie on the border; the
/// field and its derivatives in voxels.
double jacobianDeterminant(FieldView<const float> field, int x, int y, int z);

} // namespace systole
