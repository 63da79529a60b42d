// The steps of demons on the grid that they are put together on: that of the level, or half of it,
// which holds what a wide Gaussian leaves (compute/ops/smooth_halved.h).
#pragma once

#include "compute/core/volume.h"
#include "compute/ops/smooth_halved.h"

#include <array>
#include <utility>

namespace systole {

/// A step in one of two buffers. Unit: voxels of the level before squaring, voxels of `grid` from
/// the first squaring on. Without squarings it stays in voxels of the level.
struct DemonsStep {
    HalvedGrid grid;
    FieldView<float> now, spare; ///< fields on the grid; either has room for a field of the level

    /// A factor for each axis, in voxels of the grid for those of the level.
    std::array<float, 3> toGrid(float by) const {
        const auto of = [by](const HalvedAxis& axis) { return axis.halved ? 0.5f * by : by; };
        return {of(grid.x), of(grid.y), of(grid.z)};
    }
    std::array<float, 3> fromGrid() const {
        const auto of = [](const HalvedAxis& axis) { return axis.halved ? 2.0f : 1.0f; };
        return {of(grid.x), of(grid.y), of(grid.z)};
    }
};

/// The step smoothed by either of two widths. Only one is computed: the second where a word, in the
/// memory of the run, isn't 0.
struct DemonsSteps {
    DemonsStep first, second;
    const int* takeSecond = nullptr; ///< null: the first

    void swap() {
        std::swap(first.now, first.spare);
        std::swap(second.now, second.spare);
    }
};

} // namespace systole
