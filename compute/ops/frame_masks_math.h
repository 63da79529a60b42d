// How much a voxel of a masked pair counts: one formula for CPU and CUDA.
#pragma once

#include "compute/core/volume.h"
#include "compute/ops/fused_math.h"

namespace systole {

/// A mask's trilinear value; in most places its eight voxels are alike.
constexpr float maskSample(const TrilinearSample& s, const float* mask) {
    const float first = mask[s.offset];
    bool alike = true;
    for (const std::size_t z : {std::size_t{0}, s.alongZ})
        for (const std::size_t y : {std::size_t{0}, s.alongY})
            alike = alike && mask[s.offset + z + y] == first &&
                    mask[s.offset + z + y + s.alongX] == first;
    return alike ? first : fusedSample(s, mask);
}

/// Where the gray values of each frame of one grid count, 0 to 1; empty: everywhere.
struct FrameMasks {
    VolumeView<const float> fixed, moving;

    constexpr bool empty() const { return !fixed.data && !moving.data; }

    /// Weight of the voxel (x, y, z), offset `i`, whose point lies at `at` in the moving frame. The
    /// moving mask goes on as its border beyond the grid.
    constexpr float weight(std::size_t i, Position at, Size3 size) const {
        const float here = fixed.data ? fixed.data[i] : 1.0f;
        if (!moving.data || !(here > 0))
            return here;
        return here * maskSample(TrilinearSample(size, at), moving.data);
    }
};

/// `a` for a weight of 0, `b` for 1, exactly.
constexpr float masked(float a, float b, float weight) {
    return weight == 1 ? b : fusedMix(a, b, weight);
}

} // namespace systole
