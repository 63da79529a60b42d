// The constants and formulas of self-similarity (self_similarity.h) that the CPU and CUDA
// implementations share.
#pragma once

#include "compute/core/geometry.h"
#include "compute/methods/clg/balance_math.h"
#include "compute/methods/clg/tensor_math.h"

#include <array>

namespace systole::clg {

/// Distance of the neighbors that a voxel is compared with, in voxels.
inline constexpr int comparedDistance = 2;
/// Weight of a patch along an axis at a distance of 0 and of 1: a binomial.
inline constexpr float patchCenter = 0.5f, patchSide = 0.25f;
/// Channels of a voxel that equals all its neighbors.
inline constexpr float channelRange = 255;
/// Added to the mean difference of a voxel (gray²), so that even regions don't amplify rounding.
inline constexpr float channelVariance = 1;
/// Squared difference of a channel that is always expected: quantization of the gray values.
inline constexpr float channelNoise = 1;
inline constexpr int maxChannels = 6;

/// Fewest voxels along a compared axis beside gray values: patches that reach over half of a coarse
/// level say little of where they are.
inline constexpr int minCompared = 12;

/// Axes along which voxels are compared: the fine ones (countsAsFine) of at least `least` voxels,
/// two or more. From one thick slice to the next, patches are unlike wherever they are.
struct ComparedAxes {
    bool is[3] = {false, false, false};
    int count = 0;

    constexpr int channels() const { return 2 * count; }
};
constexpr ComparedAxes comparedAxes(Size3 size, std::array<float, 3> scale, int minVoxels = 2) {
    ComparedAxes axes;
    for (int axis = 0; axis < 3; ++axis) {
        axes.is[axis] =
            size[axis] >= minVoxels && countsAsFine(scale[static_cast<std::size_t>(axis)]);
        axes.count += axes.is[axis] ? 1 : 0;
    }
    return axes;
}

/// The pairs of patches that a voxel belongs to, ahead of it and behind it, by the first of the
/// pair; at both ends the nearest pair that lies in the frame.
constexpr int pairAhead(int voxel, int voxels) {
    const int last = voxels - 1 - comparedDistance;
    return voxel < last ? voxel : last < 0 ? 0 : last;
}
constexpr int pairBehind(int voxel) {
    return voxel < comparedDistance ? 0 : voxel - comparedDistance;
}

/// The scale of all channels of a voxel, from the sum of its differences: each channel is this
/// divided by channelRange ∙ (mean + its difference).
constexpr float meanDifference(float sum, int channels) {
    return sum / static_cast<float>(channels) + channelVariance;
}
/// V / (V + D): 1 where patches are equal. As exp(−D/V), but the same bits everywhere.
constexpr float channelValue(float mean, float difference) {
    return channelRange * mean / (mean + difference);
}

/// Term that is added to the channels' squared gradient in the data term's normalization, from
/// their squared differences and the voxels inside.
constexpr float channelEpsilon(int channels, double squared, double voxels) {
    return static_cast<float>(channels) * channelNoise +
           static_cast<float>(voxels > 0 ? squared / voxels : 0);
}

/// Sums over the channels of a voxel: products of the gradient with itself and with the difference
/// in time, as tensorProducts(), and their norms.
struct ChannelSums {
    std::array<float, 9> product{};
    float squaredGradient = 0, squaredDifference = 0;

    constexpr void add(const Gradient& g) {
        const std::array<float, 9> values = tensorProducts(g);
        for (std::size_t k = 0; k < 9; ++k)
            product[k] += values[k];
        squaredGradient += g.x * g.x + g.y * g.y + g.z * g.z;
        squaredDifference += g.t * g.t;
    }
    /// `inside` and the normalization.
    constexpr float weight(float inside, float epsilon) const {
        return inside / (squaredGradient + epsilon);
    }
};

} // namespace systole::clg
