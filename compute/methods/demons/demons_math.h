// The force of one voxel: one formula for CPU and CUDA.
#pragma once

#include "compute/core/geometry.h"

namespace systole {

/// The factors that turn differences between neighbors into a step.
struct DemonsScale {
    float scale[3];       ///< s_min / s_axis of the level
    float inverseSquared; ///< 1 / (4 L²), L in smallest voxels
};

/// The moving frame is known at a position on the grid, and half a voxel around it: at the grid's
/// border rounding then doesn't decide whether a voxel at rest has a force.
constexpr bool demonsKnown(float x, float y, float z, Size3 size) {
    const auto within = [](float position, int n) {
        return position >= -0.5f && position <= static_cast<float>(n) - 0.5f;
    };
    return within(x, size.x) && within(y, size.y) && within(z, size.z);
}

struct DemonsForce {
    float u, v, w; ///< in voxels
};

/// `difference` is F − M∘s. gx, gy, gz are differences of F + M∘s between the neighbors on either
/// side, four times the central difference of their mean. Without any contrast the force is zero.
constexpr DemonsForce demonsForce(float difference, float gx, float gy, float gz,
                                  const DemonsScale& s) {
    const float x = 0.25f * s.scale[0] * gx, y = 0.25f * s.scale[1] * gy,
                z = 0.25f * s.scale[2] * gz;
    const float norm = x * x + y * y + z * z + difference * difference * s.inverseSquared;
    if (!(norm > 1e-6f))
        return {0, 0, 0};
    const float step = difference / norm;
    return {step * x * s.scale[0], step * y * s.scale[1], step * z * s.scale[2]};
}

} // namespace systole
