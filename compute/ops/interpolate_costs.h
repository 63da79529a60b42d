// What a thread of interpolate() does: what its launches declare. Counted from the source; where
// the compiler decides, what it makes of it (CUDA 13, compute capability 9.0) is what counts.
#pragma once

#include "compute/core/kernel_cost.h"
#include "compute/ops/interpolate.h"

namespace systole::cost {

/// The position, its place on three axes, eight voxels, seven interpolations
/// between two values, the result.
constexpr KernelCost interpolate(InterpolateVariant variant) {
    constexpr KernelCost frame{.integer = 12, .globalLoads = 3, .globalStores = 1};
    if (variant == InterpolateVariant::TextureFilter)
        return frame + KernelCost{.add = 3, .textureFetches = 1};
    // An axis: two comparisons with their choices, three conversions, the whole part and its bound,
    // the upper neighbour; the part is a difference.
    constexpr KernelCost axis{.add = 1, .integer = 14};
    constexpr KernelCost mixes = 7 * KernelCost{.add = 1, .fusedMultiplyAdd = 1};
    if (variant == InterpolateVariant::Texture)
        return frame + 3 * axis + mixes + KernelCost{.add = 6, .integer = 9, .textureFetches = 8};
    // Steps and the lowest voxel's offset; for each of the others a sum in 64 bits.
    return frame + 3 * axis + mixes + KernelCost{.integer = 10 + 7 * 2, .globalLoads = 8};
}

} // namespace systole::cost
