// The derivative of a displacement on its grid by differences, for all implementations.
#pragma once

#include "compute/core/volume.h"

#include <cstddef>

namespace systole {

/// [component][axis], in voxels.
struct FieldGradient {
    float m[3][3];
};

/// Factor of the difference between the neighbors on either side, where a voxel at the border is
/// its own: central inside, one-sided at the border.
constexpr float differenceFactor(int at, int count) {
    return at > 0 && at + 1 < count ? 0.5f : 1.0f;
}

/// None along an axis of one voxel.
constexpr FieldGradient fieldGradient(const FieldView<const float>& field, int x, int y, int z) {
    const int at[3] = {x, y, z};
    FieldGradient gradient{};
    const std::size_t here = field.componentView(0).offset(x, y, z);
    std::size_t stride = 1;
    for (int axis = 0; axis < 3; ++axis) {
        const int n = field.size[axis];
        const std::size_t from = at[axis] > 0 ? here - stride : here,
                          to = at[axis] + 1 < n ? here + stride : here;
        const float factor = differenceFactor(at[axis], n);
        for (int row = 0; row < 3; ++row)
            gradient.m[row][axis] =
                factor * (field.component(row)[to] - field.component(row)[from]);
        stride *= static_cast<std::size_t>(n);
    }
    return gradient;
}

constexpr float determinantOf(const float (&m)[3][3]) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

} // namespace systole
