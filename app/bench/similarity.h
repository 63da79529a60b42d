// How alike two images are. Both on the host and of one size.
#pragma once

#include "compute/core/volume.h"

namespace systole {

/// Pearson's correlation of the gray values of all voxels, −1 to 1; 0 if an image is constant.
double normalizedCorrelation(VolumeView<const float> a, VolumeView<const float> b);

/// (H(A) + H(B)) / H(A, B) from a joint histogram of 64 × 64 bins over the gray values 0 to 255;
/// values beyond belong to the last bins. 1: independent, 2: each decides the other.
double normalizedMutualInformation(VolumeView<const float> a, VolumeView<const float> b);

} // namespace systole
