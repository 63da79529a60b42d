// How alike two images are. Both on the host and of one size.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/motion_estimator.h"
#include "compute/core/volume.h"

namespace systole {

/// Pearson's correlation of the gray values of all voxels, −1 to 1; 0 if an image is constant.
double normalizedCorrelation(VolumeView<const float> a, VolumeView<const float> b);

/// (H(A) + H(B)) / H(A, B) from a joint histogram of 64 × 64 bins over the gray values 0 to 255;
/// values beyond belong to the last bins. 1: independent, 2: each decides the other.
double normalizedMutualInformation(VolumeView<const float> a, VolumeView<const float> b);

/// The gray values of each image that its bins and constants are scaled to.
struct GrayRanges {
    IntensityScale fixed, moving;
};

/// Measures over the counted voxels. NaN if no voxel counts.
struct SimilarityFigures {
    std::size_t voxels = 0;       ///< that count
    double meanAbsoluteError = 0; ///< MAE, gray values
    double squaredErrors = 0;     ///< SSE, gray values squared, a sum
    double structural = 0;        ///< SSIM, see meanStructuralSimilarity(); NaN without a window
    double mutualInformation = 0; ///< NMI as above, 64 bins over each image's range
    double correlation = 0;       ///< NCC as above
};

/// `counted` (may be empty: all) is at least 0.5 where a voxel counts. Bitwise equal for any number
/// of threads.
SimilarityFigures similarityFigures(VolumeView<const float> fixed, VolumeView<const float> moved,
                                    VolumeView<const float> counted, const GrayRanges& ranges,
                                    const ExecContext& ctx);

/// The correlation among these figures.
double countedCorrelation(VolumeView<const float> fixed, VolumeView<const float> moved,
                          VolumeView<const float> counted, const ExecContext& ctx);

/// Voxels of the window of structural similarity along each axis; along a shorter axis the largest
/// odd number that fits.
inline constexpr int structuralWindow = 7;

/// Structural similarity (Wang et al., Image quality assessment: from error visibility to
/// structural similarity, IEEE TIP 13(4), 2004, eq. 13, in three dimensions with a uniform window):
/// the mean over all windows that lie inside the grid and hold only voxels that count (`counted` at
/// least 0.5, empty: all), with K1 = 0.01, K2 = 0.03, unbiased variances and `grayRange` as dynamic
/// range. NaN if there is no such window. Both on the host and of one size; bitwise equal for any
/// number of threads.
double meanStructuralSimilarity(VolumeView<const float> a, VolumeView<const float> b,
                                VolumeView<const float> counted, double grayRange,
                                const ExecContext& ctx);

} // namespace systole
