// The patches of a band in leaves of 32 whose elements are alike or near one another, with boxes
// that hold their features and voxels: what lies too far apart needs no comparison.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/surface/nonlocal_means_math.h"

#include <span>
#include <vector>

namespace systole::nlm {

inline constexpr int leafSize = 32;

/// The box of a leaf: features, then voxel indices.
struct LeafBox {
    float low[features + 3], high[features + 3];
};

/// A list of elements cut into leaves of leafSize; the last one is filled up by its last element.
struct PatchLeaves {
    int elements = 0, leaves = 0, numbers = 0;
    float scale = 0; ///< length of the largest feature
    /// The element at each place, −1 where filled up.
    std::vector<int> element;
    /// Number n of the patches of leaf f at [(f · numbers + n) · leafSize].
    Buffer<float> patches;
    /// Feature k of leaf f at [(f · features + k) · leafSize]; voxel indices likewise, 3 a leaf.
    std::vector<float> feature;
    std::vector<int> voxel;
    /// Sides of the boxes, planar: side k of leaf f at [k · boxLength() + f], in the order of
    /// LeafBox.
    std::vector<float> low, high;

    /// Boxes in whole vectors; those beyond the leaves are infinitely far.
    std::size_t boxLength() const {
        return static_cast<std::size_t>((leaves + leafSize - 1) / leafSize * leafSize);
    }
    const float* patchesOf(int leaf) const {
        return patches.data() + std::ptrdiff_t{leaf} * numbers * leafSize;
    }
    const float* featuresOf(int leaf) const {
        return feature.data() + std::ptrdiff_t{leaf} * features * leafSize;
    }
    const int* voxelsOf(int leaf) const {
        return voxel.data() + std::ptrdiff_t{leaf} * 3 * leafSize;
    }
};

/// Leaves of the patches in the order of a Morton code of the features, or, if `byPlace`, of the
/// voxels.
PatchLeaves makePatchLeaves(VolumeView<const float> phi, std::span<const int> band, int radius,
                            bool byPlace, const ExecContext& ctx);

/// Bits of up to four coordinates of 16 bits each, interleaved.
constexpr std::uint64_t mortonCode(const std::uint32_t* at, int axes) {
    std::uint64_t code = 0;
    for (int bit = 15; bit >= 0; --bit)
        for (int axis = 0; axis < axes; ++axis)
            code = code << 1 | (at[axis] >> bit & 1u);
    return code;
}

/// The place of a feature on an axis of the code, all axes of one scale.
constexpr std::uint32_t mortonPlace(float feature, float scale) {
    const float place = scale > 0 ? (feature / scale + 1) * 32767.0f : 0;
    return static_cast<std::uint32_t>(place);
}

/// Squared distance of two boxes' features; infinite if all their voxels are more than a window
/// apart.
constexpr float boxDistance(const LeafBox& a, const LeafBox& b, int window) {
    float sum = 0;
    SYSTOLE_UNROLL
    for (int k = 0; k < features + 3; ++k) {
        const float above = a.low[k] - b.high[k], below = b.low[k] - a.high[k];
        const float gap = above > below ? above : below;
        if (k >= features) {
            if (window > 0 && gap > static_cast<float>(window))
                return INFINITY;
        } else if (gap > 0) {
            sum += gap * gap;
        }
    }
    return sum;
}

} // namespace systole::nlm
