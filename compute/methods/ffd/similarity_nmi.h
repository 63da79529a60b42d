// Normalized mutual information (H(fixed) + H(warped)) / H(fixed, warped) of a joint histogram.
// Studholme, Hill, Hawkes, Pattern Recognition 32(1), 1999; the warped image's Parzen window is a
// cubic B-spline, the fixed image's a box: Mattes et al., IEEE TMI 22(1), 2003. Counts are fixed
// point, so that their order doesn't matter.
#pragma once

#include "compute/core/motion_estimator.h"
#include "compute/methods/ffd/similarity.h"
#include "compute/ops/fused_math.h"

#include <array>
#include <cstdint>
#include <vector>

namespace systole {

inline constexpr int nmiBins = 64;

/// position = scale · gray + offset, limited to low … high, in bins.
struct BinScale {
    float scale = 0, offset = 0;
    float low = 0, high = 0;

    constexpr float position(float gray) const {
        const float p = fused(scale, gray, offset);
        return p > low ? (p < high ? p : high) : low;
    }
};
/// An image's bins reach over all but these parts (0–1) of its voxels, as quantiles() finds their
/// gray values; where these ends are the same, from the least to the greatest value, and of a
/// constant image to one more.
inline constexpr double nmiDarkest = 0.002, nmiBrightest = 0.998;
/// Bins over a range: for the fixed image one per voxel, for the warped one the middle of the four
/// that a voxel counts in.
BinScale fixedBins(IntensityScale range);
BinScale warpedBins(IntensityScale range);

/// Count that one voxel of full weight adds to the histogram, which is in fixed point.
inline constexpr float nmiUnit = 65536;
/// Voxels whose counts 32 bits hold in any case.
inline constexpr int nmiVoxels = 65536;

using JointHistogram = std::array<std::uint64_t, nmiBins * nmiBins>; ///< [fixed][warped]

struct NmiResult {
    double nmi = 0;
    /// d nmi / d count of each pair of bins, for a voxel of full weight.
    std::array<float, nmiBins * nmiBins> derivative{};
};
/// 1 with zero derivatives where there is nothing to compare: an empty histogram or one entry.
NmiResult nmiOf(const JointHistogram& histogram);

/// Adds its memory to `space`.
std::unique_ptr<Similarity> makeNmi(Size3 finest, Workspace& space);

} // namespace systole
