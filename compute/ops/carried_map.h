// A map of the fixed frame's voxels, carried along by their motion into the moving frame.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/voxel_box.h"
#include "compute/ops/sample.h"

#include <cmath>

namespace systole {

/// Where a voxel of the moving frame was in the fixed one: X with X + motion(X) = p, by
/// X ← p − motion(X), which converges where neighbors move alike to less than their distance.
constexpr Position originOf(const FieldView<const float>& motion, Position p) {
    constexpr int maxSteps = 20;
    constexpr float nearEnough = 0.01f; // voxels
    Position x = p;
    for (int step = 0; step < maxSteps; ++step) {
        const TrilinearSample at(motion.size, x);
        const Position next{p.x - at.of(motion.u), p.y - at.of(motion.v), p.z - at.of(motion.w)};
        const float change =
            std::abs(next.x - x.x) + std::abs(next.y - x.y) + std::abs(next.z - x.z);
        x = next;
        if (!(change > nearEnough))
            break;
    }
    return x;
}

/// The map's value at a voxel of the moving frame, trilinear, of the grid's border beyond it.
constexpr float carriedValue(const FieldView<const float>& motion, const float* map, int x, int y,
                             int z) {
    const Position from =
        originOf(motion, {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)});
    return TrilinearSample(motion.size, from).of(map);
}

/// carriedValue() in the voxels of a box, 0 elsewhere. All on the host and of one size.
void carryMap(FieldView<const float> motion, VolumeView<const float> map, const VoxelBox& box,
              VolumeView<float> out, const ExecContext& ctx);

} // namespace systole
