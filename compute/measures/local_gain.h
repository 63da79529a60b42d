// Whether two images are equally bright everywhere: a bias field of a coil, another contrast.
#pragma once

#include "compute/core/volume.h"

namespace systole {

/// Each image's mean over cubes of localGainSide voxels, less the image's smallest value; where
/// both are brighter than a tenth of its range, the logarithm of their ratio. The median distance
/// of these from their median: 0 if one image is the other times a factor, 0.1 if it is a tenth
/// brighter here and a tenth darker there. Few moving parts hardly change it. `counted` (may be
/// empty: all) is at least 0.5 where a voxel counts; 0 with fewer than 16 cubes. All of one size
/// and on the host.
double localGainSpread(VolumeView<const float> fixed, VolumeView<const float> moved,
                       VolumeView<const float> counted);
inline constexpr int localGainSide = 8;

} // namespace systole
