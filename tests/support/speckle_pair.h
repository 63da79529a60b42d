// A pair of speckle pictures with known motion, by formula.
#pragma once

#include "compute/core/random.h"
#include "tests/support/compute_support.h"

#include <array>
#include <cmath>
#include <cstdint>

namespace systole::test {

/// Speckle by formula: the envelope of a random field of plane waves, defined between voxels too.
class Speckle {
public:
    explicit Speckle(std::uint64_t seed) {
        for (std::size_t i = 0; i < waves_.size(); ++i) {
            const auto [a, b] = normalPair(randomBits(seed, 1, i));
            const auto [c, phase] = normalPair(randomBits(seed, 2, i));
            constexpr double finest = 0.5; // radians per voxel, standard deviation
            waves_[i] = {finest * a, finest * b, finest * c, 3 * phase};
        }
    }
    double operator()(double x, double y, double z) const {
        double real = 0, imaginary = 0;
        for (const auto& w : waves_) {
            const double angle = w[0] * x + w[1] * y + w[2] * z + w[3];
            real += std::cos(angle);
            imaginary += std::sin(angle);
        }
        return 255 * std::min(1.0, 0.5 * std::hypot(real, imaginary) /
                                       std::sqrt(static_cast<double>(waves_.size())));
    }

private:
    std::array<std::array<double, 4>, 40> waves_{};
};

/// Whether a voxel lies in a still pyramid that widens along z.
constexpr bool inSector(Size3 size, int x, int y, int z) {
    const int half = 3 + z / 2, dx = x - size.x / 2, dy = y - size.y / 2;
    return dx >= -half && dx <= half && dy >= -half && dy <= half;
}

/// Sets what lies outside of the sector to zero, as a probe does that doesn't see it.
inline void cutToSector(VolumeView<float> frame) {
    for (int z = 0; z < frame.size.z; ++z)
        for (int y = 0; y < frame.size.y; ++y)
            for (int x = 0; x < frame.size.x; ++x)
                if (!inSector(frame.size, x, y, z))
                    frame(x, y, z) = 0;
}

/// A speckle picture and the same one turned, stretched and shifted.
struct SpecklePair {
    explicit SpecklePair(Size3 extent, double amount = 1, std::uint64_t seed = 1)
        : size(extent)
        , speckle(seed)
        , fixed(size, [&](double x, double y, double z) { return speckle(x, y, z); })
        , moving(size,
                 [&](double x, double y, double z) {
                     // The previous position of the point that now lies here.
                     std::array<double, 3> p{x, y, z};
                     for (int i = 0; i < 12; ++i) {
                         const std::array<double, 3> w = motion(p, amount);
                         p = {x - w[0], y - w[1], z - w[2]};
                     }
                     return speckle(p[0], p[1], p[2]);
                 })
        , truth(size) {
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x) {
                    const std::array<double, 3> w = motion(
                        {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)},
                        amount);
                    for (int k = 0; k < 3; ++k)
                        truth.view().componentView(k)(x, y, z) =
                            static_cast<float>(w[static_cast<std::size_t>(k)]);
                }
    }
    std::array<double, 3> motion(std::array<double, 3> p, double amount) const {
        const double x = p[0] - size.x / 2.0, y = p[1] - size.y / 2.0, z = p[2] - size.z / 2.0;
        return {amount * (1.1 + 0.04 * y), amount * (-0.6 - 0.04 * x), amount * (0.4 + 0.03 * z)};
    }

    Size3 size;
    Speckle speckle;
    TestVolume fixed, moving;
    TestField truth;
};

} // namespace systole::test
