// Helpers for tests of SEST: a descriptor in double precision, by Eigen, and textured frames.
#pragma once

#include "compute/landmarks/sest.h"
#include "tests/support/compute_support.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace systole::test {

/// A landmark's nearest candidate; among equals the first.
struct Match {
    Voxel offset; ///< offset from the center
    float distance;
};
inline Match nearestCandidate(std::span<const float, sest::candidates> distances) {
    const auto nearest = std::min_element(distances.begin(), distances.end());
    return {sest::candidateOffset(static_cast<int>(nearest - distances.begin())), *nearest};
}

/// Texture of wavelengths from 5 to 40 voxels, moved by `shift` voxels; gray values as of a CT.
inline TestVolume texturedFrame(Size3 size, Voxel shift = {0, 0, 0}) {
    return {size, [=](double x, double y, double z) {
                const double p = x - shift.x, q = y - shift.y, r = z - shift.z;
                return 500 + 120 * std::sin(0.71 * p + 0.2 * q) * std::cos(0.53 * q - 0.4 * r) +
                       90 * std::sin(0.31 * r + 0.37 * p) +
                       70 * std::sin(0.9 * q + 0.17 * p * 0.3) +
                       60 * std::cos(1.1 * r - 0.6 * p + 0.23 * q) +
                       std::sin(0.013 * p * q + 0.02 * q * r) * 50;
            }};
}

/// Evenly spread pseudo-random voxels at least `margin` from the border.
inline std::vector<Voxel> spreadVoxels(Size3 size, int count, Voxel margin, std::uint64_t seed) {
    std::vector<Voxel> voxels;
    for (int i = 0; i < count; ++i) {
        const auto along = [&](int n, int border, int axis) {
            const std::uint64_t bits =
                randomBits(seed, static_cast<std::uint64_t>(axis), static_cast<std::uint64_t>(i));
            return border + static_cast<int>(bits % static_cast<std::uint64_t>(n - 2 * border));
        };
        voxels.push_back(
            {along(size.x, margin.x, 0), along(size.y, margin.y, 1), along(size.z, margin.z, 2)});
    }
    return voxels;
}

/// The features of a voxel, straight from their definition.
inline Eigen::Matrix<double, 7, 1> featureVector(TestVolume& frame, Voxel p) {
    const auto at = [&](int dx, int dy, int dz) {
        const auto clamped = [](int i, int n) { return std::clamp(i, 0, n - 1); };
        return static_cast<double>(frame.view()(clamped(p.x + dx, frame.size.x),
                                                clamped(p.y + dy, frame.size.y),
                                                clamped(p.z + dz, frame.size.z)));
    };
    const auto second = [&](int dx, int dy, int dz) {
        return at(dx, dy, dz) + at(-dx, -dy, -dz) - 2 * at(0, 0, 0);
    };
    /// Mixed second derivative along two axes given by their unit steps.
    const auto mixed = [&](std::array<int, 3> a, std::array<int, 3> b) {
        const auto corner = [&](int s, int t) {
            return at(s * a[0] + t * b[0], s * a[1] + t * b[1], s * a[2] + t * b[2]);
        };
        return (corner(1, 1) - corner(1, -1) - corner(-1, 1) + corner(-1, -1)) / 4;
    };
    const std::array<int, 3> x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    Eigen::Matrix<double, 7, 1> v;
    v << at(0, 0, 0), second(1, 0, 0), second(0, 1, 0), second(0, 0, 1), mixed(x, y), mixed(x, z),
        mixed(y, z);
    return v;
}

/// The 224 numbers of a place, in double precision.
inline Eigen::VectorXd descriptor(TestVolume& frame, Voxel p) {
    Eigen::VectorXd all(sest::numbers);
    Eigen::Index next = 0;
    for (int octant = 0; octant < 8; ++octant) {
        Eigen::Matrix<double, 7, 7> tensor = Eigen::Matrix<double, 7, 7>::Zero();
        for (int dz = -4; dz <= 4; ++dz)
            for (int dy = -5; dy <= 5; ++dy)
                for (int dx = -5; dx <= 5; ++dx) {
                    if ((dx >= 0) + 2 * (dy >= 0) + 4 * (dz >= 0) != octant)
                        continue;
                    // Voxels of the patch beyond the border are those at it, features and all.
                    const auto clamped = [](int i, int n) { return std::clamp(i, 0, n - 1); };
                    const Eigen::Matrix<double, 7, 1> v = featureVector(
                        frame, {clamped(p.x + dx, frame.size.x), clamped(p.y + dy, frame.size.y),
                                clamped(p.z + dz, frame.size.z)});
                    tensor += v * v.transpose();
                }
        tensor.diagonal() *= 1 + std::ldexp(1.0, -12);
        tensor.diagonal().array() += std::ldexp(1.0, -20);
        const Eigen::Matrix<double, 7, 7> lower = tensor.llt().matrixL();
        for (int i = 0; i < 7; ++i)
            for (int j = 0; j <= i; ++j)
                all(next++) = lower(i, j);
    }
    return all;
}

} // namespace systole::test
