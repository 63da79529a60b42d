// Where the warp of one voxel leads: one formula for the plain loops and CUDA.
#pragma once

#include "compute/ops/index_map.h"
#include "compute/ops/sample_gradient.h"

namespace systole {

/// Where map takes a point of the fixed grid.
constexpr MovingPosition movingPosition(const IndexMap& map, float x, float y, float z) {
    return {map.row(0, x, y, z), map.row(1, x, y, z), map.row(2, x, y, z)};
}

} // namespace systole
