// Distance between two displacements of one voxel: the formula shared by all implementations.
#pragma once

#include "compute/core/error.h"
#include "compute/core/points.h"
#include "compute/ops/field_difference.h"

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

inline void checkDifference(const VectorField& a, const VectorField& b, Size3 map) {
    if (!a.geometry.matches(b.geometry) || map != a.geometry.size())
        throw ComputeError("fields to be compared must lie on one grid");
}

/// Where the maximum lies, from the offset of its voxel.
inline void setMaximumAt(FieldDifference& difference, std::size_t offset,
                         const Geometry& geometry) {
    const auto nx = static_cast<std::size_t>(geometry.size().x),
               ny = static_cast<std::size_t>(geometry.size().y);
    const auto [x, y, z] = difference.maximumIndex = {static_cast<int>(offset % nx),
                                                      static_cast<int>(offset / nx % ny),
                                                      static_cast<int>(offset / nx / ny)};
    difference.maximumAt = centerOfVoxel(geometry, x, y, z);
}

} // namespace systole
