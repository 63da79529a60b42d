// The arithmetic of a relaxed voxel whose block is inverted in advance (invertBlock), in one order
// and with the same roundings in Colors and Tiles (RedBlackForm), which have the same bits.
#pragma once

#include <cuda_runtime.h>

namespace systole::clg {

/// Sum of x, y and z, the sums over both neighbors along each axis, weighted with the smoothness.
__device__ inline float neighborSum(const float (&smoothness)[3], float x, float y, float z) {
    return fmaf(smoothness[2], z, fmaf(smoothness[1], y, smoothness[0] * x));
}

/// One component of the solution: a row of the inverse (c0, c1, c2) times the three components'
/// neighborSum, plus the contribution of b.
__device__ inline float solvedComponent(float c0, float c1, float c2, float b,
                                        const float (&sums)[3]) {
    return fmaf(c2, sums[2], fmaf(c1, sums[1], fmaf(c0, sums[0], b)));
}

/// Relaxes `value`; returns the size of its change.
__device__ inline float relaxTo(float solved, float omega, float& value) {
    const float change = omega * (solved - value);
    value = __fadd_rn(value, change);
    return fabsf(change);
}

} // namespace systole::clg
