// One voxel of compute/cardiac/axis_strain.h: the formula of all implementations.
#pragma once

#include "compute/cardiac/axis_strain.h"
#include "compute/ops/field_gradient_math.h"

#include <algorithm>
#include <cmath>

namespace systole::cardiac {

struct VoxelStrain {
    float jacobian, along[3]; ///< longitudinal, circumferential, radial
};

/// Strain since another time, at which it was `then`: both of the same tissue since the reference.
constexpr float strainSince(float then, float now, Tensor tensor) {
    constexpr float least = 1e-6f; // smallest length, relative to rest: lengths of 0 don't divide
    if (tensor == Tensor::Engineering)
        return (1 + now) / std::max(1 + then, least) - 1;
    return ((1 + 2 * now) / std::max(1 + 2 * then, least) - 1) / 2;
}

constexpr bool isAxis(const float (&n)[3]) { return n[0] != 0 || n[1] != 0 || n[2] != 0; }

/// √(nᵀCn) − 1 or (nᵀCn − 1) / 2 from nᵀCn = |F n|².
constexpr float strainAlong(const float (&f)[3][3], float x, float y, float z, Tensor tensor) {
    float squared = 0;
    for (const auto& row : f) {
        const float part = row[0] * x + row[1] * y + row[2] * z;
        squared += part * part;
    }
    return tensor == Tensor::Engineering ? std::sqrt(squared) - 1 : 0.5f * (squared - 1);
}

/// Strain from the differences of the motion in voxels and both axes; 0 where the axes are zero.
constexpr VoxelStrain voxelStrain(const FieldGradient& gradient, const float (&l)[3],
                                  const float (&r)[3], const AxisScale& scale, Tensor tensor) {
    float f[3][3]{};
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            f[k][j] = scale.ratio[k][j] * gradient.m[k][j] + (k == j ? 1.0f : 0.0f);
    VoxelStrain strain{determinantOf(f), {0, 0, 0}};
    if (!isAxis(r))
        return strain;
    strain.along[0] = strainAlong(f, l[0], l[1], l[2], tensor);
    strain.along[1] = strainAlong(f, l[1] * r[2] - l[2] * r[1], l[2] * r[0] - l[0] * r[2],
                                  l[0] * r[1] - l[1] * r[0], tensor);
    strain.along[2] = strainAlong(f, r[0], r[1], r[2], tensor);
    return strain;
}

} // namespace systole::cardiac
