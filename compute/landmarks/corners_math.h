// The formulas of corner detection per voxel (compute/landmarks/corners.h).
#pragma once

#include "compute/core/volume.h"
#include "compute/core/voxel.h"

namespace systole {

/// xx, yy, zz, xy, xz, yz.
inline constexpr int tensorNumbers = 6;

/// Adds weight · g gᵀ for the gradient g per mm at voxel p; halfInverse is 1 / (2 · spacing).
constexpr void addGradientTensor(VolumeView<const float> frame, Voxel p, Vec3 halfInverse,
                                 double weight, double (&tensor)[tensorNumbers]) {
    const auto along = [&](int axis) {
        const Voxel before = p.moved(axis, -1), after = p.moved(axis, 1);
        const auto at = [&](Voxel v) {
            return double{frame(clampedIndex(v.x, frame.size.x), clampedIndex(v.y, frame.size.y),
                                clampedIndex(v.z, frame.size.z))};
        };
        const double difference = (at(after) - at(before)) * halfInverse[axis];
        return difference - difference == 0 ? difference : 0.0; // finite
    };
    const double x = along(0), y = along(1), z = along(2);
    tensor[0] += weight * x * x;
    tensor[1] += weight * y * y;
    tensor[2] += weight * z * z;
    tensor[3] += weight * x * y;
    tensor[4] += weight * x * z;
    tensor[5] += weight * y * z;
}

/// 1 / trace(S⁻¹) over the axes of more than one voxel; 0 with fewer than two of them, and where
/// rounding leaves no positive determinant.
constexpr double cornerStrength(const double (&s)[tensorNumbers], Size3 size) {
    const double xy = s[0] * s[1] - s[3] * s[3], xz = s[0] * s[2] - s[4] * s[4],
                 yz = s[1] * s[2] - s[5] * s[5];
    double determinant = 0, adjugate = 0;
    if (size.x > 1 && size.y > 1 && size.z > 1) {
        determinant =
            s[0] * yz - s[3] * (s[3] * s[2] - s[4] * s[5]) + s[4] * (s[3] * s[5] - s[1] * s[4]);
        adjugate = xy + xz + yz;
    } else if (size.x > 1 && size.y > 1) {
        determinant = xy;
        adjugate = s[0] + s[1];
    } else if (size.x > 1 && size.z > 1) {
        determinant = xz;
        adjugate = s[0] + s[2];
    } else if (size.y > 1 && size.z > 1) {
        determinant = yz;
        adjugate = s[1] + s[2];
    }
    return determinant > 0 && adjugate > 0 ? determinant / adjugate : 0;
}

} // namespace systole
