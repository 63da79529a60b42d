// Gradient, products and their weight at one voxel: the formulas that the plain loops and the CUDA
// kernels share.
#pragma once

#include <array>

namespace systole::clg {

/// Derivatives of the frames at one voxel: spatial ones per smallest spacing, and the difference in
/// time.
struct Gradient {
    float x, y, z, t;
};

/// Factor on the difference of the values at two neighbors: a central difference of the mean of
/// two frames, from the sums of both, or a forward difference of one frame. `scale`: voxels of the
/// axis per unit of the gradient.
constexpr float differenceFactor(bool central, float scale) {
    return (central ? 0.25f : 1.0f) * scale;
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
