// Surfaces with a known signed distance, the same with noise, and how far a zero level lies from
// the known one. Lengths in voxels of 1 mm.
#pragma once

#include "compute/core/random.h"
#include "compute/core/volume.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace systole::test {

/// Signed distance of a point, negative inside.
using Distance = std::function<double(Vec3)>;

inline Distance sphere(Vec3 center, double radius) {
    return [=](Vec3 p) { return length(p - center) - radius; };
}
inline Distance box(Vec3 center, Vec3 half) {
    return [=](Vec3 p) {
        const Vec3 d = p - center;
        const Vec3 q{std::abs(d.x) - half.x, std::abs(d.y) - half.y, std::abs(d.z) - half.z};
        const Vec3 out{std::max(q.x, 0.0), std::max(q.y, 0.0), std::max(q.z, 0.0)};
        return length(out) + std::min(0.0, std::max({q.x, q.y, q.z}));
    };
}
/// Turned about a center by an angle about z and the same about x.
inline Distance turned(Distance shape, Vec3 center, double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    return [=](Vec3 p) {
        Vec3 d = p - center;
        d = {c * d.x + s * d.y, c * d.y - s * d.x, d.z};
        d = {d.x, c * d.y + s * d.z, c * d.z - s * d.y};
        return shape(center + d);
    };
}
inline Distance shell(Vec3 center, double radius, double half) {
    return [=](Vec3 p) { return std::abs(length(p - center) - radius) - half; };
}
inline Distance torus(Vec3 center, double radius, double tube) {
    return [=](Vec3 p) {
        const Vec3 d = p - center;
        return std::hypot(std::hypot(d.x, d.y) - radius, d.z) - tube;
    };
}
/// A straight bar with round ends.
inline Distance bar(Vec3 a, Vec3 b, double radius) {
    return [=](Vec3 p) {
        const Vec3 along = b - a;
        const double t = std::clamp(dot(p - a, along) / dot(along, along), 0.0, 1.0);
        return length(p - a - t * along) - radius;
    };
}
inline Distance united(Distance a, Distance b) {
    return [=](Vec3 p) { return std::min(a(p), b(p)); };
}

struct Shape {
    const char* name;
    Distance truth;
    Distance drawn; ///< shape with errors of topology
};

/// Shapes in a cube of 48³ voxels.
inline std::vector<Shape> shapes() {
    const Vec3 c{23.6, 23.3, 23.8};
    const auto same = [](const char* name, const Distance& truth) {
        return Shape{name, truth, truth};
    };
    const Distance ring = torus(c, 13, 5);
    Distance handles = ring;
    for (int k = 0; k < 3; ++k) {
        const double a = 0.4 + 2.1 * k, b = a + 1.5;
        handles = united(handles, bar(c + Vec3{8 * std::cos(a), 8 * std::sin(a), 0.5},
                                      c + Vec3{8 * std::cos(b), 8 * std::sin(b), -0.5}, 0.6));
    }
    return {same("sphere", sphere(c, 15)),
            same("touching boxes", united(box({15.4, 23.3, 23.3}, {8, 10, 12}),
                                          box({31.4, 23.3, 25.3}, {8.5, 13, 8}))),
            same("cube", turned(box(c, {12, 12, 12}), c, 0.5)),
            same("thin shell", shell(c, 15, 1.5)),
            {"torus with handles", ring, handles}};
}

inline constexpr Size3 shapeSize{48, 48, 48};

/// Values of a distance at the voxels, with normal noise of this standard deviation.
inline std::vector<float> sampled(const Distance& shape, Size3 size = shapeSize, double noise = 0,
                                  std::uint64_t seed = 1) {
    std::vector<float> phi(size.voxels());
    const VolumeView<float> view(phi.data(), size);
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const std::size_t i = view.offset(x, y, z);
                const Vec3 p{static_cast<double>(x), static_cast<double>(y),
                             static_cast<double>(z)};
                phi[i] = static_cast<float>(
                    shape(p) +
                    noise * static_cast<double>(normalPair(randomBits(seed, 7, i)).first));
            }
    return phi;
}

/// Distances from the truth of the points where phi is zero on the grid's edges, by linear
/// interpolation.
struct ZeroLevel {
    double mean = 0, largest = 0;
    std::size_t points = 0;
};
inline ZeroLevel zeroLevel(const std::vector<float>& phi, Size3 size, const Distance& truth,
                           const std::function<bool(Vec3)>& counted = {}) {
    ZeroLevel level;
    const int steps[3] = {1, size.x, size.x * size.y};
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x)
                for (int axis = 0; axis < 3; ++axis) {
                    const int at[3] = {x, y, z};
                    if (at[axis] + 1 == size[axis])
                        continue;
                    const auto i = static_cast<std::size_t>(x + size.x * (y + size.y * z));
                    const double a = static_cast<double>(phi[i]);
                    const double b =
                        static_cast<double>(phi[i + static_cast<std::size_t>(steps[axis])]);
                    if ((a < 0) == (b < 0))
                        continue;
                    Vec3 p{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
                    p[axis] += a / (a - b);
                    if (counted && !counted(p))
                        continue;
                    const double off = std::abs(truth(p));
                    level.mean += off;
                    level.largest = std::max(level.largest, off);
                    ++level.points;
                }
    level.mean /= static_cast<double>(std::max<std::size_t>(level.points, 1));
    return level;
}

/// Voxels inside, those at the surface in part.
inline double volumeInside(const std::vector<float>& phi) {
    double sum = 0;
    for (const float value : phi)
        sum += std::clamp(0.5 - static_cast<double>(value), 0.0, 1.0);
    return sum;
}

} // namespace systole::test
