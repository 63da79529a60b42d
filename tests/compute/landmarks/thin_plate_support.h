// Helpers for tests of thin-plate splines: landmarks, and the error that single precision may have.
#pragma once

#include "compute/landmarks/thin_plate.h"
#include "tests/support/compute_support.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole::test {

struct Landmarks {
    std::vector<Vec3> from, to;
};

/// Random places in a box and where a bend, a scaling and some noise of half a voxel take them.
inline Landmarks bentLandmarks(int count, Size3 box, std::uint64_t seed) {
    Landmarks marks;
    const auto random = [&](int i, int axis) {
        return static_cast<double>(uniformFloat(static_cast<std::uint32_t>(
            randomBits(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(axis)))));
    };
    for (int i = 0; i < count; ++i) {
        const Vec3 p{box.x * random(i, 0), box.y * random(i, 1), box.z * random(i, 2)};
        marks.from.push_back(p);
        marks.to.push_back({1.05 * p.x + 2 * std::sin(0.2 * p.y) + random(i, 3) - 0.5,
                            0.95 * p.y + std::cos(0.15 * p.z) + random(i, 4) - 0.5,
                            p.z + 0.01 * p.x * p.y / 10 + random(i, 5) - 0.5});
    }
    return marks;
}

/// The largest error of a grid in single precision over its bound: coefficients and positions
/// rounded to 2^-24, a root of 2^-22, and a sum of k terms that gathers k roundings at worst,
/// (k + 16) · 2^-24 · (Σ|w_j| r_j + Σ|r_k μ_k|).
inline double worstOfBound(const ThinPlateSpline& spline, TestField& positions) {
    const Size3 size = positions.size;
    const FieldView<float> view = positions.view();
    const double unit = std::ldexp(static_cast<double>(spline.landmarks.size()) + 16, -24);
    double worst = 0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const Vec3 p{static_cast<double>(x), static_cast<double>(y),
                             static_cast<double>(z)};
                const Vec3 expected = spline.at(p);
                for (int c = 0; c < 3; ++c) {
                    const std::array<double, 4>& r = spline.affine[static_cast<std::size_t>(c)];
                    double magnitude = std::abs(r[0]) + std::abs(r[1] * p.x) +
                                       std::abs(r[2] * p.y) + std::abs(r[3] * p.z);
                    for (std::size_t j = 0; j < spline.landmarks.size(); ++j)
                        magnitude +=
                            std::abs(spline.weights[j][c]) * length(spline.landmarks[j] - p);
                    const double found = static_cast<double>(view.componentView(c)(x, y, z));
                    worst = std::max(worst, std::abs(found - expected[c]) / (unit * magnitude));
                }
            }
    return worst;
}

} // namespace systole::test
