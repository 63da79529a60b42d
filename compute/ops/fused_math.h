// Formulas that have the same bits in plain loops, in SIMD and on a device: every product that is
// added is a fused one, so that no compiler has a choice, and sums are exact, so that their order
// doesn't matter. SIMD does the same operations where the processor has fused multiply-adds.
#pragma once

#include "compute/ops/sample_gradient.h"

namespace systole {

constexpr float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
constexpr float fusedMix(float a, float b, float t) { return fused(t, b - a, a); }

/// a · b, 0 to 1, to the nearest multiple of 2⁻²²: sums of up to 2³¹ of these are exact in
/// double precision. With b = 1 a number itself.
constexpr float onSumGrid(float a, float b = 1) { return fused(a, b, 3) - 3; }

/// Rounds to the nearest multiple of `unit`, a power of two, |value| < 2⁵¹ units: sums of these are
/// exact in double precision below 2⁵³ units. A value that is a product is one of two floats, which
/// is exact, whether it is fused or not.
constexpr double onSumGrid(double value, double unit) {
    const double above = 6755399441055744.0 * unit; // 1.5 · 2⁵²
    return (value + above) - above;
}

/// As TrilinearSample::of().
template <typename Sample>
constexpr float fusedSample(const Sample& s, const float* voxels) {
    const auto row = [&](std::size_t i) {
        return fusedMix(voxels[i], voxels[i + s.alongX], s.partX);
    };
    const auto plane = [&](std::size_t i) { return fusedMix(row(i), row(i + s.alongY), s.partY); };
    return fusedMix(plane(s.offset), plane(s.offset + s.alongZ), s.partZ);
}

/// As TrilinearGradient, with one more sample where it has two: across a plane of voxels the mean
/// of the derivatives of the cells on both sides. The operations of
/// rows::Trilinear::sampleWithGradient().
struct FusedGradient {
    float x, y, z;

    constexpr FusedGradient(const float* voxels, Size3 size, MovingPosition p) {
        const TrilinearSample s(size, p);
        const std::size_t far = s.offset + s.alongZ;
        const std::size_t rows[4] = {s.offset, s.offset + s.alongY, far, far + s.alongY};
        float along[4]{}, slope[4]{};
        for (int i = 0; i < 4; ++i) {
            const float first = voxels[rows[i]];
            slope[i] = voxels[rows[i] + s.alongX] - first;
            along[i] = fused(s.partX, slope[i], first);
        }
        const float near = fusedMix(along[0], along[1], s.partY),
                    beyond = fusedMix(along[2], along[3], s.partY),
                    value = fusedMix(near, beyond, s.partZ);
        x = fusedMix(fusedMix(slope[0], slope[1], s.partY), fusedMix(slope[2], slope[3], s.partY),
                     s.partZ);
        y = fusedMix(along[1] - along[0], along[3] - along[2], s.partZ);
        z = beyond - near;
        const auto acrossPlane = [&](float& slopeAbove, float part, float at, std::size_t stride) {
            if (part != 0 || !(at > 0))
                return;
            TrilinearSample before = s;
            before.offset -= stride;
            slopeAbove = 0.5f * (slopeAbove + (value - fusedSample(before, voxels)));
        };
        acrossPlane(x, s.partX, p.x, s.alongX);
        acrossPlane(y, s.partY, p.y, s.alongY);
        acrossPlane(z, s.partZ, p.z, s.alongZ);
        x = withinGrid(p.x, size.x) ? x : 0.0f;
        y = withinGrid(p.y, size.y) ? y : 0.0f;
        z = withinGrid(p.z, size.z) ? z : 0.0f;
    }
};

} // namespace systole
