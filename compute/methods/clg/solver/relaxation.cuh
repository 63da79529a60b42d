// The arithmetic of a relaxed voxel whose block is inverted in advance (invertBlock), in the order
// and with the roundings that all forms share: they have the same bits.
#pragma once

#include <cuda_runtime.h>

namespace systole::clg {

/// Sum of x, y and z, the sums over both neighbors along each axis, weighted with the smoothness.
__device__ inline float neighborSum(const float (&smoothness)[3], float x, float y, float z) {
    return fmaf(smoothness[2], z, fmaf(smoothness[1], y, smoothness[0] * x));
}

/// A component: a row of the inverse by the neighbors' sums, and the contribution of b.
__device__ inline float solvedComponent(float c0, float c1, float c2, float b, float s0, float s1,
                                        float s2) {
    return fmaf(c2, s2, fmaf(c1, s1, fmaf(c0, s0, b)));
}

/// Relaxes `value`; returns the size of its change.
__device__ inline float relaxTo(float solved, float omega, float& value) {
    const float change = omega * (solved - value);
    value = __fadd_rn(value, change);
    return fabsf(change);
}

} // namespace systole::clg
