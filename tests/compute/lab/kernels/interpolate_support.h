// Helpers for tests of interpolation: positions, and the value there in double precision.
#pragma once

#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace systole::test {

/// All over the volume and up to two voxels beyond its border.
inline TestField randomPositions(Size3 size, Size3 volume, std::uint64_t seed) {
    TestField positions(size);
    const std::size_t n = size.voxels();
    for (std::size_t i = 0; i < 3 * n; ++i) {
        const auto bits = static_cast<std::uint32_t>(randomBits(seed, 1, i));
        positions.values[i] =
            uniformFloat(bits) * static_cast<float>(volume[static_cast<int>(i / n)] + 3) - 2;
    }
    return positions;
}

inline std::array<double, 3> positionAt(const TestField& positions, std::size_t i) {
    const std::size_t n = positions.size.voxels();
    return {static_cast<double>(positions.values[i]), static_cast<double>(positions.values[n + i]),
            static_cast<double>(positions.values[2 * n + i])};
}

/// The value; the largest difference of two neighbors among the eight along each axis; and how far
/// the eight lie from the middle between the smallest and the largest, summed.
struct TrilinearValue {
    double value = 0;
    std::array<double, 3> contrast{};
    double spread = 0;
};

inline TrilinearValue trilinear(TestVolume& volume, std::array<double, 3> position) {
    std::array<int, 3> low{};
    std::array<double, 3> part{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const int n = volume.size[static_cast<int>(axis)];
        const double clamped = std::clamp(position[axis], 0.0, n - 1.0);
        low[axis] = std::min(static_cast<int>(std::floor(clamped)), std::max(n - 2, 0));
        part[axis] = clamped - low[axis];
    }
    const auto corner = [&](int k) {
        const auto at = [&](std::size_t axis) {
            return std::min(low[axis] + (k >> axis & 1), volume.size[static_cast<int>(axis)] - 1);
        };
        return static_cast<double>(volume.view()(at(0), at(1), at(2)));
    };
    TrilinearValue result;
    double least = corner(0), most = corner(0);
    for (int k = 1; k < 8; ++k) {
        least = std::min(least, corner(k));
        most = std::max(most, corner(k));
    }
    for (int k = 0; k < 8; ++k) {
        result.spread += std::abs(corner(k) - (least + most) / 2);
        double weight = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const bool upper = k >> axis & 1;
            weight *= upper ? part[axis] : 1 - part[axis];
            if (upper)
                result.contrast[axis] =
                    std::max(result.contrast[axis], std::abs(corner(k) - corner(k ^ (1 << axis))));
        }
        result.value += weight * corner(k);
    }
    return result;
}

} // namespace systole::test
