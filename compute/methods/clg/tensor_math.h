// Gradient, products and their weight at one voxel: the formulas that the plain loops and the CUDA
// kernels share.
#pragma once

#include <array>

namespace systole::clg {

/// Derivatives of the frames at one voxel: spatial ones per voxel, and the difference in time.
struct Gradient {
    float x, y, z, t;
};

/// Central differences of the mean of two frames, from the sums of both at the neighbors.
constexpr float centralDifference(float sumAhead, float sumBehind) {
    return 0.25f * (sumAhead - sumBehind);
}

/// Divisor of the data term; 1 for a negative epsilon.
constexpr float dataNorm(const Gradient& g, float epsilon) {
    return epsilon >= 0 ? g.x * g.x + g.y * g.y + g.z * g.z + epsilon : 1.0f;
}

/// Writes J11 J12 J13 J22 J23 J33 J14 J24 J34 before weight and smoothing.
constexpr std::array<float, 9> tensorProducts(const Gradient& g) {
    return {g.x * g.x, g.x * g.y, g.x * g.z, g.y * g.y, g.y * g.z,
            g.z * g.z, g.x * g.t, g.y * g.t, g.z * g.t};
}

} // namespace systole::clg
