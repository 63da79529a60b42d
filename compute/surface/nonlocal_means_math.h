// Formulas of non-local means that all implementations share: patches, their distance, what bounds
// it, and weights. Lengths are in the unit of phi.
#pragma once

#include "compute/core/unroll.h"
#include "compute/core/voxel.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace systole::nlm {

constexpr int patchSide(int radius) { return 2 * radius + 1; }
constexpr int patchNumbers(int radius) {
    return patchSide(radius) * patchSide(radius) * patchSide(radius);
}

constexpr Voxel voxelAt(Size3 size, int offset) {
    return {offset % size.x, offset / size.x % size.y, offset / size.x / size.y};
}

/// Number n of the patch around p, x fastest; beyond the border the voxel at it is repeated.
constexpr int patchOffset(Size3 size, Voxel p, int radius, int n) {
    const int side = patchSide(radius);
    const int x = clampedIndex(p.x + n % side - radius, size.x);
    const int y = clampedIndex(p.y + n / side % side - radius, size.y);
    const int z = clampedIndex(p.z + n / side / side - radius, size.z);
    return x + size.x * (y + size.y * z);
}

/// D is this sum over the numbers of two patches in their order, in single precision: the same bits
/// wherever a fused multiply-add is one operation, off by at most (numbers + 2) 2⁻²⁴ of itself.
constexpr float addSquare(float sum, float a, float b) {
    const float d = a - b;
    return std::fma(d, d, sum);
}

/// Elements are ranked by D, equal ones by their place in the band. D is never negative, so that
/// its bits rank as it does.
using Key = std::uint64_t;
constexpr Key worstKey = ~Key{0};
constexpr Key keyOf(float distance, int element) {
    return Key{std::bit_cast<std::uint32_t>(distance)} << 32 | static_cast<std::uint32_t>(element);
}
constexpr float distanceOf(Key key) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(key >> 32));
}
constexpr int elementOf(Key key) { return static_cast<int>(key & 0xffffffffu); }

/// Features of a patch that nowhere increase distances, ‖f(a) − f(b)‖² ≤ D: its coordinates along
/// four orthonormal patches (constant, and linear in x, y and z), and the length of the rest. They
/// hold most of what tells the patches of a signed distance apart.
inline constexpr int features = 5;

/// `read(n)` is number n of the patch. In double precision, so that the bound is known to a few
/// roundings of its result.
template <typename Read>
constexpr void featuresOf(int radius, const Read& read, float (&out)[features]) {
    const int side = patchSide(radius);
    double sum = 0, squares = 0, along[3] = {};
    int n = 0;
    for (int z = -radius; z <= radius; ++z)
        for (int y = -radius; y <= radius; ++y)
            for (int x = -radius; x <= radius; ++x, ++n) {
                const double a = static_cast<double>(read(n));
                sum += a;
                squares += a * a;
                along[0] += x * a;
                along[1] += y * a;
                along[2] += z * a;
            }
    // Σ x² over the patch.
    const double spread = side * side * (radius * (radius + 1) * side / 3);
    const double mean = sum / std::sqrt(static_cast<double>(n));
    double rest = squares - mean * mean;
    out[0] = static_cast<float>(mean);
    for (int axis = 0; axis < 3; ++axis) {
        const double f = along[axis] / std::sqrt(spread);
        out[1 + axis] = static_cast<float>(f);
        rest -= f * f;
    }
    out[4] = static_cast<float>(rest > 0 ? std::sqrt(rest) : 0);
}

/// Pairs whose features' squared distance exceeds this can't have D ≤ limit, whatever was rounded:
/// features are off by a few 2⁻²⁴ of the largest, `scale`; a length of the rest, a root of a
/// difference, by a few 2⁻²⁶.
constexpr float prunedAbove(float limit, float scale) {
    const float slack = 4e-6f * scale;
    return limit * 1.0001f + 3e4f * slack * slack;
}

/// w = exp(−|x−y|²/c1) exp(−D/c2) (eq. 15), |x−y|² from voxel offsets; 0 for an infinite D.
struct WeightScale {
    float spacing[3]; ///< side of a voxel along each axis
    float inverseC1, inverseC2;
};
constexpr float squaredLength(const WeightScale& scale, Voxel a, Voxel b) {
    const float x = scale.spacing[0] * static_cast<float>(a.x - b.x);
    const float y = scale.spacing[1] * static_cast<float>(a.y - b.y);
    const float z = scale.spacing[2] * static_cast<float>(a.z - b.z);
    return x * x + y * y + z * z;
}
constexpr float exponentOf(const WeightScale& scale, Voxel a, Voxel b, float distance) {
    return -squaredLength(scale, a, b) * scale.inverseC1 - distance * scale.inverseC2;
}

/// Elements that a search may compare: all, or those at most `window` voxels apart along each axis.
constexpr bool inWindow(int window, Voxel a, Voxel b) {
    const auto near = [window](int i, int j) { return i - j <= window && j - i <= window; };
    return window == 0 || (near(a.x, b.x) && near(a.y, b.y) && near(a.z, b.z));
}

} // namespace systole::nlm
