// Map from voxels of one grid to those of another, in single precision, for kernels and SIMD rows
// (compute/ops/two_grids.h has the map in double precision).
#pragma once

#include "compute/core/geometry.h"

#include <array>

namespace systole {

/// index (fixed voxels) ↦ matrix · index + offset (moving voxels).
struct IndexMap {
    float matrix[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    float offset[3] = {0, 0, 0};

    /// The map that keeps points of space, between grids decimated by these factors
    /// (compute/ops/decimation.h). Exactly the identity for two grids that are the same.
    static IndexMap between(const Geometry& fixed, const Geometry& moving,
                            const std::array<int, 3>& fixedFactor = {1, 1, 1},
                            const std::array<int, 3>& movingFactor = {1, 1, 1});

    constexpr float row(int axis, float x, float y, float z) const {
        return matrix[axis][0] * x + (matrix[axis][1] * y + (matrix[axis][2] * z + offset[axis]));
    }
    constexpr bool isIdentity() const {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                if (matrix[i][j] != (i == j ? 1.0f : 0.0f))
                    return false;
        return offset[0] == 0 && offset[1] == 0 && offset[2] == 0;
    }
};

} // namespace systole
