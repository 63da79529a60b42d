// Cubic sampling at one position (Keys, "Cubic convolution interpolation", 1981, with a = −1/2),
// clamped at the border: the formula shared by the plain loops, the row kernels and CUDA. Between
// voxels a linear value loses contrast, most of it halfway, which a comparison of gray values takes
// for a better or worse fit; a cubic one loses far less.
#pragma once

#include "compute/ops/sample.h"

namespace systole {

/// One axis of a position: up to four voxels in a row and their weights. Beyond the border the
/// frame continues linearly. Where the axis is shorter than four voxels, the last weights are 0.
struct CubicAxis {
    int first;
    float weight[4];
};

constexpr CubicAxis cubicAxis(float position, int n) {
    const AxisSample a = axisSample(position, n);
    const float t = a.part, t2 = t * t, t3 = t2 * t;
    // Weights of the voxels from one below `low` to two above it.
    float w0 = t2 - 0.5f * (t3 + t), w1 = 1.5f * t3 - 2.5f * t2 + 1;
    float w2 = 2 * t2 - 1.5f * t3 + 0.5f * t, w3 = 0.5f * (t3 - t2);
    const bool atBegin = a.low == 0, atEnd = a.low + 2 > n - 1;
    const float before = atBegin ? w0 : 0, after = atEnd ? w3 : 0;
    w0 -= before;
    w1 += 2 * before - after;
    w2 += 2 * after - before;
    w3 -= after;
    // The four voxels are moved into the grid, and the weights with them; without a branch.
    const bool ahead = atBegin, back = !atBegin && atEnd && n >= 4;
    return {ahead  ? 0
            : back ? n - 4
                   : a.low - 1,
            {ahead  ? w1
             : back ? 0
                    : w0,
             ahead  ? w2
             : back ? w0
                    : w1,
             ahead  ? w3
             : back ? w1
                    : w2,
             ahead  ? 0
             : back ? w2
                    : w3}};
}

/// Σ weight[n] · at(n).
template <typename At>
constexpr float weighted(const float (&weight)[4], const At& at) {
    return weight[0] * at(0) + weight[1] * at(1) + weight[2] * at(2) + weight[3] * at(3);
}

/// The cubic value at a position; read(x, y, z) gives a voxel's value.
template <typename Read>
constexpr float cubicSample(Size3 size, float x, float y, float z, const Read& read) {
    const CubicAxis ax = cubicAxis(x, size.x), ay = cubicAxis(y, size.y), az = cubicAxis(z, size.z);
    const auto upTo = [](int i, int n) { return i < n ? i : n - 1; };
    return weighted(az.weight, [&](int k) {
        return weighted(ay.weight, [&](int j) {
            return weighted(ax.weight, [&](int i) {
                return read(upTo(ax.first + i, size.x), upTo(ay.first + j, size.y),
                            upTo(az.first + k, size.z));
            });
        });
    });
}

/// cubicSample() for rows of four voxels or more; load(i) gives the value of the voxel at offset i.
template <typename Load>
constexpr float cubicSampleAt(Size3 size, float x, float y, float z, const Load& load) {
    const auto nx = static_cast<std::size_t>(size.x), ny = static_cast<std::size_t>(size.y);
    const CubicAxis ax = cubicAxis(x, size.x), ay = cubicAxis(y, size.y), az = cubicAxis(z, size.z);
    const auto upTo = [](int i, int n) { return static_cast<std::size_t>(i < n ? i : n - 1); };
    const auto first = static_cast<std::size_t>(ax.first);
    return weighted(az.weight, [&](int k) {
        const std::size_t plane = first + nx * ny * upTo(az.first + k, size.z);
        return weighted(ay.weight, [&](int j) {
            const std::size_t row = plane + nx * upTo(ay.first + j, size.y);
            return weighted(ax.weight,
                            [&](int i) { return load(row + static_cast<std::size_t>(i)); });
        });
    });
}

} // namespace systole
