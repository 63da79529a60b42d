// Moving texture whose points' places are known at every time.
#pragma once

#include "tests/compute/landmarks/sest_support.h"

#include <functional>
#include <numbers>

namespace systole::test {

/// A sum of waves of random directions, wavelengths (6 to 36 voxels) and phases: smooth, and alike
/// nowhere.
inline double randomWaves(double x, double y, double z) {
    struct Wave {
        double x, y, z, phase;
    };
    static const std::vector<Wave> all = [] {
        std::vector<Wave> made;
        for (std::uint64_t i = 0; i < 40; ++i) {
            const auto uniform = [i](std::uint64_t stream) {
                return double{uniformFloat(static_cast<std::uint32_t>(randomBits(3, stream, i)))};
            };
            const double height = 2 * uniform(0) - 1, around = 2 * std::numbers::pi * uniform(1),
                         flat = std::sqrt(1 - height * height),
                         number = 2 * std::numbers::pi / (6 * std::pow(6, uniform(2)));
            made.push_back({number * flat * std::cos(around), number * flat * std::sin(around),
                            number * height, 2 * std::numbers::pi * uniform(3)});
        }
        return made;
    }();
    double sum = 0;
    for (const Wave& wave : all)
        sum += std::cos(wave.x * x + wave.y * y + wave.z * z + wave.phase);
    return 120 + 14 * sum;
}

/// Displacement of the tissue that now lies at q: from where the point was at rest to q.
using Offset = std::function<Vec3(Vec3 now)>;

inline TestVolume movedFrame(Size3 size, const Offset& offset) {
    return {size, [&](double x, double y, double z) {
                const Vec3 d = offset({x, y, z});
                return randomWaves(x - d.x, y - d.y, z - d.z);
            }};
}

/// Present position of the point that was at p at rest: the solution of q = p + offset(q).
inline Vec3 movedPoint(Vec3 p, const Offset& offset) {
    Vec3 q = p;
    for (int round = 0; round < 100; ++round)
        q = p + offset(q);
    return q;
}

/// Breathing: what lies beyond the wall x = wall rests, the rest moves along z, most in the middle
/// of y, by `depth` voxels at the lower end and half of that at the upper one, and widens a little
/// along y.
inline Offset breathing(Size3 size, double wall, double depth) {
    return [=](Vec3 q) -> Vec3 {
        if (q.x > wall)
            return {};
        const double middle = std::cos((q.y / size.y - 0.5) * 2), along = 1 - 0.5 * q.z / size.z;
        return {0, 0.1 * depth * (q.y / size.y - 0.5), depth * middle * along};
    };
}

} // namespace systole::test
