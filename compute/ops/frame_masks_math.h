// How much a voxel of a masked pair counts: one formula for CPU and CUDA.
#pragma once

#include "compute/core/volume.h"
#include "compute/ops/sample.h"

namespace systole {

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
        return here * TrilinearSample(size, at).of(moving.data);
    }
};

/// `a` for a weight of 0, `b` for 1, exactly.
constexpr float masked(float a, float b, float weight) {
    return weight == 1 ? b : a + weight * (b - a);
}

} // namespace systole
