// Trilinear sampling at one position, clamped at the border: the formula that the plain loops and
// the CUDA kernels share.
#pragma once

#include "compute/core/geometry.h"

namespace systole {

/// One axis of a position: the voxels below and above it, and how far it lies between them.
struct AxisSample {
    int low, high;
    float part;
};

constexpr AxisSample axisSample(float position, int n) {
    const float last = static_cast<float>(n - 1);
    // In this order a position that is not a number becomes 0.
    const float clamped = position > 0 ? (position < last ? position : last) : 0.0f;
    // The lower voxel stays one below the last, so that its upper neighbour exists.
    const int highestLow = n > 1 ? n - 2 : 0;
    const int floor = static_cast<int>(clamped);
    const int low = floor < highestLow ? floor : highestLow;
    return {low, low + 1 < n ? low + 1 : n - 1, clamped - static_cast<float>(low)};
}

constexpr bool liesWithin(float position, int n) {
    return position >= 0 && position <= static_cast<float>(n - 1);
}

constexpr bool liesWithin(float x, float y, float z, Size3 size) {
    return liesWithin(x, size.x) && liesWithin(y, size.y) && liesWithin(z, size.z);
}

/// `voxel(x, y, z)` gives a voxel's value.
template <typename Voxel>
constexpr float trilinear(Size3 size, float x, float y, float z, const Voxel& voxel) {
    const AxisSample ax = axisSample(x, size.x), ay = axisSample(y, size.y),
                     az = axisSample(z, size.z);
    const auto mix = [](float a, float b, float t) { return a + t * (b - a); };
    const auto row = [&](int j, int k) {
        return mix(voxel(ax.low, j, k), voxel(ax.high, j, k), ax.part);
    };
    const auto plane = [&](int k) { return mix(row(ay.low, k), row(ay.high, k), ay.part); };
    return mix(plane(az.low), plane(az.high), az.part);
}

} // namespace systole
