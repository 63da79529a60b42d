// The structural similarity of two images.
// Wang et al., Image quality assessment: from error visibility to structural similarity, IEEE TIP
// 13(4), 2004, eq. 13, in three dimensions with a uniform window.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

/// Voxels of the window along each axis; along a shorter axis the largest odd number that fits.
inline constexpr int structuralWindow = 7;

/// The mean over all windows that lie inside the grid and hold only voxels that count (`counted`
/// at least 0.5, empty: all), with K1 = 0.01, K2 = 0.03, unbiased variances and `grayRange` as
/// dynamic range. NaN if there is no such window. Both on the host and of one size; bitwise equal
/// for any number of threads.
double meanStructuralSimilarity(VolumeView<const float> a, VolumeView<const float> b,
                                VolumeView<const float> counted, double grayRange,
                                const ExecContext& ctx);

} // namespace systole
