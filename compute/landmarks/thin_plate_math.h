// The formula of one voxel's thin-plate spline, shared by the plain loop and the CUDA kernels, and
// the layout of its coefficients.
#pragma once

#include "compute/landmarks/thin_plate.h"

#include <vector>

namespace systole::tps {

/// A landmark with its weights. 32 bytes, so that a GPU reads it in two loads.
struct alignas(16) Term {
    float x, y, z;    ///< p_j
    float w[3];       ///< weights w_j for x, y and z
    float padding[2]; ///< always zero
};
struct Affine {
    float of[3][4]; ///< coefficients r1 … r4 for x, y and z
};

inline Affine affineOf(const ThinPlateSpline& spline) {
    Affine affine{};
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t k = 0; k < 4; ++k)
            affine.of[c][k] = static_cast<float>(spline.affine[c][k]);
    return affine;
}

inline std::vector<Term> termsOf(const ThinPlateSpline& spline) {
    std::vector<Term> terms(spline.landmarks.size(), Term{});
    for (std::size_t j = 0; j < terms.size(); ++j) {
        const Vec3 p = spline.landmarks[j], w = spline.weights[j];
        terms[j].x = static_cast<float>(p.x);
        terms[j].y = static_cast<float>(p.y);
        terms[j].z = static_cast<float>(p.z);
        for (int c = 0; c < 3; ++c)
            terms[j].w[c] = static_cast<float>(w[c]);
    }
    return terms;
}

struct Point {
    float x, y, z;
};

constexpr Point affineAt(const Affine& r, Point p) {
    const auto row = [&](const float(&a)[4]) {
        return a[0] + a[1] * p.x + a[2] * p.y + a[3] * p.z;
    };
    return {row(r.of[0]), row(r.of[1]), row(r.of[2])};
}

/// sum += w_j ‖p_j − p‖; root is the square root to use.
template <typename Root>
constexpr void addTerm(const Term& term, Point p, const Root& root, Point& sum) {
    const float dx = term.x - p.x, dy = term.y - p.y, dz = term.z - p.z;
    const float distance = root(dx * dx + dy * dy + dz * dz);
    sum.x += term.w[0] * distance;
    sum.y += term.w[1] * distance;
    sum.z += term.w[2] * distance;
}

} // namespace systole::tps
