// Distance between two displacements of one voxel: the formula shared by all implementations.
#pragma once

#include "compute/core/geometry.h"

#include <cmath>

namespace systole {

/// Matrix from voxels to LPS mm, without translation, row-major.
struct VoxelToMillimeters {
    float m[3][3];
};

inline VoxelToMillimeters voxelToMillimeters(const Geometry& geometry) {
    VoxelToMillimeters result{};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            result.m[row][column] =
                static_cast<float>(geometry.voxelToPhysicalMatrix()[row][column]);
    return result;
}

/// The squared length in mm of a difference in voxels.
constexpr float squaredMillimeters(const VoxelToMillimeters& matrix, float du, float dv, float dw) {
    float sum = 0;
    for (int row = 0; row < 3; ++row) {
        const float along = matrix.m[row][0] * du + matrix.m[row][1] * dv + matrix.m[row][2] * dw;
        sum += along * along;
    }
    return sum;
}

} // namespace systole
