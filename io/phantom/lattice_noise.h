// Smooth random numbers over space: a cubic B-spline whose coefficients are normal random numbers
// on a lattice, which repeats.
#pragma once

#include "compute/core/geometry.h"
#include "compute/core/random.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace systole {

/// A cubic B-spline's weights of the four nodes around a point that lies `t` (0–1) behind the
/// second.
inline std::array<float, 4> cubicWeights(float t) {
    const float s = 1 - t;
    return {s * s * s / 6, (3 * t * t * t - 6 * t * t + 4) / 6, (3 * s * s * s - 6 * s * s + 4) / 6,
            t * t * t / 6};
}

class LatticeNoise {
public:
    /// Nodes `millimeters` apart, repeating after 64 of them.
    LatticeNoise(double millimeters, std::uint64_t seed, std::uint64_t stream)
        : perMillimeter_(1 / millimeters), nodes_(static_cast<std::size_t>(side) * side * side) {
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            nodes_[i] = unitVariance * normalPair(randomBits(seed, stream, i)).first;
    }

    /// Mean 0, variance 1 over space, continuous to the second derivative.
    float operator()(Vec3 p) const {
        std::array<std::array<float, 4>, 3> weights;
        std::array<std::array<std::size_t, 4>, 3> at;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double q = p[static_cast<int>(axis)] * perMillimeter_;
            const double whole = std::floor(q);
            weights[axis] = cubicWeights(static_cast<float>(q - whole));
            const auto first = static_cast<std::int64_t>(whole) - 1;
            for (std::int64_t k = 0; k < 4; ++k)
                at[axis][static_cast<std::size_t>(k)] =
                    static_cast<std::size_t>((first + k) & (side - 1));
        }
        float sum = 0;
        for (std::size_t k = 0; k < 4; ++k)
            for (std::size_t j = 0; j < 4; ++j) {
                const float* const row = nodes_.data() + (at[2][k] * side + at[1][j]) * side;
                float line = 0;
                for (std::size_t i = 0; i < 4; ++i)
                    line += weights[0][i] * row[at[0][i]];
                sum += weights[2][k] * weights[1][j] * line;
            }
        return sum;
    }

private:
    static constexpr std::int64_t side = 64; ///< a power of two
    /// The squares of a cubic B-spline's weights add up to 151/315 on average, along each axis.
    static constexpr float unitVariance = 3.01303f;

    double perMillimeter_;
    std::vector<float> nodes_;
};

} // namespace systole
