// The formulas of corner detection per voxel (compute/landmarks/corners.h).
#pragma once

#include "compute/core/volume.h"
#include "compute/core/voxel.h"

namespace systole {

/// xx, yy, zz, xy, xz, yz.
inline constexpr int tensorNumbers = 6;

/// Slope between the gray values before and after voxel p along an axis, per mm; 0 where it isn't
/// finite. halfInverse is 1 / (2 · spacing).
constexpr double centralDifference(VolumeView<const float> frame, Voxel p, int axis,
                                   double halfInverse) {
    const Voxel before = p.moved(axis, -1), after = p.moved(axis, 1);
    const Size3 size = frame.size;
    const double low = double{frame(clampedIndex(before.x, size.x), clampedIndex(before.y, size.y),
                                    clampedIndex(before.z, size.z))},
                 high = double{frame(clampedIndex(after.x, size.x), clampedIndex(after.y, size.y),
                                     clampedIndex(after.z, size.z))};
    const double difference = (high - low) * halfInverse;
    return difference - difference == 0 ? difference : 0.0;
}

/// Adds weight · g gᵀ for the gradient g per mm at voxel p; halfInverse is 1 / (2 · spacing).
constexpr void addGradientTensor(VolumeView<const float> frame, Voxel p, Vec3 halfInverse,
                                 double weight, double (&tensor)[tensorNumbers]) {
    const double x = centralDifference(frame, p, 0, halfInverse.x),
                 y = centralDifference(frame, p, 1, halfInverse.y),
                 z = centralDifference(frame, p, 2, halfInverse.z);
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
