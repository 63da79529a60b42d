// The motion of a level set at one voxel of a grid of cubes: the formulas that the plain loop and
// the banded implementation share.
//
//     phi_t + F |grad phi| = 0,   F = data + prior - smoothness * kappa,
//
// with phi negative inside, so that F > 0 grows the inside. The first part is upwind (Osher and
// Sethian, Fronts Propagating with Curvature-Dependent Speed, 1988), the curvature part central.
#pragma once

#include "compute/core/volume.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace systole::front {

/// The voxel beside index i along an axis of n voxels, repeated at the grid's edge.
constexpr int before(int i) { return i > 0 ? i - 1 : 0; }
constexpr int after(int i, int n) { return i + 1 < n ? i + 1 : i; }

/// First differences of phi at a voxel, per mm.
struct Slopes {
    float backward[3], forward[3];
};

inline Slopes slopesOf(VolumeView<const float> phi, int x, int y, int z, float spacing) {
    const float here = phi(x, y, z), scale = 1 / spacing;
    return {{(here - phi(before(x), y, z)) * scale, (here - phi(x, before(y), z)) * scale,
             (here - phi(x, y, before(z))) * scale},
            {(phi(after(x, phi.size.x), y, z) - here) * scale,
             (phi(x, after(y, phi.size.y), z) - here) * scale,
             (phi(x, y, after(z, phi.size.z)) - here) * scale}};
}

/// |grad phi| as seen by a front of speed F: differences are taken from where it comes.
inline float upwindSlope(const Slopes& s, float speed) {
    float sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const float a =
            speed > 0 ? std::max(s.backward[axis], 0.0f) : std::min(s.backward[axis], 0.0f);
        const float b =
            speed > 0 ? std::min(s.forward[axis], 0.0f) : std::max(s.forward[axis], 0.0f);
        sum += std::max(a * a, b * b);
    }
    return std::sqrt(sum);
}

/// kappa |grad phi| by central differences, kappa = div(grad phi / |grad phi|) in 1/mm: the sum of
/// both principal curvatures, positive for a ball. |kappa| is at most 2 / spacing, what the grid
/// can show.
inline float curvatureTimesSlope(VolumeView<const float> phi, int x, int y, int z, float spacing) {
    const int xa = before(x), xb = after(x, phi.size.x), ya = before(y), yb = after(y, phi.size.y),
              za = before(z), zb = after(z, phi.size.z);
    const float here = phi(x, y, z), one = 0.5f / spacing, two = 1 / (spacing * spacing);
    const float px = (phi(xb, y, z) - phi(xa, y, z)) * one,
                py = (phi(x, yb, z) - phi(x, ya, z)) * one,
                pz = (phi(x, y, zb) - phi(x, y, za)) * one;
    const float pxx = (phi(xb, y, z) - 2 * here + phi(xa, y, z)) * two,
                pyy = (phi(x, yb, z) - 2 * here + phi(x, ya, z)) * two,
                pzz = (phi(x, y, zb) - 2 * here + phi(x, y, za)) * two;
    const float quarter = 0.25f * two;
    const float pxy = (phi(xb, yb, z) - phi(xa, yb, z) - phi(xb, ya, z) + phi(xa, ya, z)) * quarter;
    const float pxz = (phi(xb, y, zb) - phi(xa, y, zb) - phi(xb, y, za) + phi(xa, y, za)) * quarter;
    const float pyz = (phi(x, yb, zb) - phi(x, ya, zb) - phi(x, yb, za) + phi(x, ya, za)) * quarter;
    const float squared = px * px + py * py + pz * pz;
    if (!(squared > 1e-6f))
        return 0;
    const float numerator = px * px * (pyy + pzz) + py * py * (pxx + pzz) + pz * pz * (pxx + pyy) -
                            2 * (px * py * pxy + px * pz * pxz + py * pz * pyz);
    const float slope = std::sqrt(squared), largest = 2 / spacing;
    return std::clamp(numerator / (squared * slope), -largest, largest) * slope;
}

/// The prior's part of the speed: towards `wanted`, in full from `softness` mm on.
inline float pullTowards(float wanted, float phi, float softness) {
    return std::clamp((phi - wanted) / softness, -1.0f, 1.0f);
}

/// The largest stable step for |F| of at most `speed`.
constexpr float stableStep(float spacing, float speed, float smoothness) {
    const float fromSpeed = speed / spacing, fromCurvature = 6 * smoothness / (spacing * spacing);
    return 0.9f / (fromSpeed * 2 + fromCurvature + 1e-6f);
}

} // namespace systole::front
