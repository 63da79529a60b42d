// The determinant of a map's derivative, by central differences: what it does to volume.
#pragma once

#include "compute/core/geometry.h"

namespace systole::test {

/// Determinant of the derivative of `motion`, whose forward() moves a point, at p; both in mm.
template <typename Motion>
double determinantOf(const Motion& motion, Vec3 p) {
    constexpr double h = 1e-4;
    Vec3 c[3];
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 a = p, b = p;
        a[axis] += h;
        b[axis] -= h;
        c[axis] = (0.5 / h) * (motion.forward(a) - motion.forward(b));
    }
    return c[0].x * (c[1].y * c[2].z - c[1].z * c[2].y) -
           c[1].x * (c[0].y * c[2].z - c[0].z * c[2].y) +
           c[2].x * (c[0].y * c[1].z - c[0].z * c[1].y);
}

} // namespace systole::test
