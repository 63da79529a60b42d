// From a point of the fixed image's grid to the moving image's grid, in voxels.
#pragma once

#include "compute/core/geometry.h"

#include <array>

namespace systole {

/// point (fixed voxels) ↦ matrix · point + offset (moving voxels).
struct IndexMap {
    float matrix[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    float offset[3] = {0, 0, 0};

    constexpr float row(int axis, float x, float y, float z) const {
        return matrix[axis][0] * x + (matrix[axis][1] * y + (matrix[axis][2] * z + offset[axis]));
    }
    /// matrixᵀ · v: a gradient by moving voxels as one by fixed voxels.
    constexpr float transposedRow(int axis, float x, float y, float z) const {
        return matrix[0][axis] * x + (matrix[1][axis] * y + matrix[2][axis] * z);
    }
    constexpr bool isIdentity() const {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                if (matrix[i][j] != (i == j ? 1.0f : 0.0f))
                    return false;
        return offset[0] == 0 && offset[1] == 0 && offset[2] == 0;
    }
};

/// Between grids of which only every `fixedFactor`-th and `movingFactor`-th voxel is kept.
IndexMap indexMap(const Geometry& fixed, const std::array<int, 3>& fixedFactor,
                  const Geometry& moving, const std::array<int, 3>& movingFactor);

} // namespace systole
