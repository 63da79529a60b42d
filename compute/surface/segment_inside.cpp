// Measures and parts of the inside of a signed distance.
#include "compute/core/neighbors.h"
#include "compute/core/points.h"
#include "compute/core/voxel.h"
#include "compute/surface/segment_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace systole {

void keepLargestPart(VolumeView<float> phi) {
    const Size3 n = phi.size;
    const std::size_t row = static_cast<std::size_t>(n.x),
                      plane = row * static_cast<std::size_t>(n.y);
    std::vector<int> part(phi.voxels(), 0);
    std::vector<std::size_t> waiting;
    int parts = 0, largest = 0;
    std::size_t largestSize = 0;
    for (std::size_t begin = 0; begin < phi.voxels(); ++begin) {
        if (!(phi.data[begin] < 0) || part[begin] != 0)
            continue;
        ++parts;
        std::size_t size = 0;
        const auto visit = [&](int x, int y, int z) {
            const std::size_t i = phi.offset(x, y, z);
            if (phi.data[i] < 0 && part[i] == 0) {
                part[i] = parts;
                ++size;
                waiting.push_back(i);
            }
        };
        const auto placeOf = [&](std::size_t i) {
            return Voxel{static_cast<int>(i % row), static_cast<int>(i % plane / row),
                         static_cast<int>(i / plane)};
        };
        const Voxel first = placeOf(begin);
        visit(first.x, first.y, first.z);
        while (!waiting.empty()) {
            const Voxel v = placeOf(waiting.back());
            waiting.pop_back();
            overFaces(n, v.x, v.y, v.z, visit);
        }
        if (size > largestSize) {
            largestSize = size;
            largest = parts;
        }
    }
    for (std::size_t i = 0; i < phi.voxels(); ++i)
        if (part[i] != 0 && part[i] != largest)
            phi.data[i] = -phi.data[i];
}

Vec3 centerOf(const Volume& phi) {
    const VolumeView<const float> values = phi.view();
    Vec3 sum;
    double count = 0;
    for (int z = 0; z < values.size.z; ++z)
        for (int y = 0; y < values.size.y; ++y)
            for (int x = 0; x < values.size.x; ++x)
                if (values(x, y, z) < 0) {
                    sum = sum + voxelPoint(x, y, z);
                    ++count;
                }
    return phi.geometry.indexToPhysical((1 / std::max(count, 1.0)) * sum);
}

std::vector<double> exitsOf(const Volume& phi, Vec3 center) {
    std::vector<double> radii;
    for (const Vec3 d : StarDirections::standard().unit) {
        double last = 0;
        for (double r = 0; isInside(phi.geometry, center + r * d); r += 0.5)
            if (sampledAt(phi, center + r * d) < 0)
                last = r;
        radii.push_back(last + 0.25);
    }
    return radii;
}

double convexShare(const Volume& signedDistance) {
    constexpr int maxSamples = 40; // per axis
    const VolumeView<const float> phi = signedDistance.view();
    Voxel low{phi.size.x, phi.size.y, phi.size.z}, high{-1, -1, -1};
    for (int z = 0; z < phi.size.z; ++z)
        for (int y = 0; y < phi.size.y; ++y)
            for (int x = 0; x < phi.size.x; ++x)
                if (phi(x, y, z) < 0) {
                    low = {std::min(low.x, x), std::min(low.y, y), std::min(low.z, z)};
                    high = {std::max(high.x, x), std::max(high.y, y), std::max(high.z, z)};
                }
    const auto step = [](int from, int to) { return 1 + (to - from) / maxSamples; };
    const auto overBox = [&](const auto& visit) {
        for (int z = low.z; z <= high.z; z += step(low.z, high.z))
            for (int y = low.y; y <= high.y; y += step(low.y, high.y))
                for (int x = low.x; x <= high.x; x += step(low.x, high.x))
                    visit(signedDistance.geometry.indexToPhysical(voxelPoint(x, y, z)),
                          phi(x, y, z) < 0);
    };
    // The hull is what lies on the near side of the planes that touch the inside.
    const std::vector<Vec3>& unit = StarDirections::standard().unit;
    std::vector<double> farthest(unit.size(), std::numeric_limits<double>::lowest());
    double inside = 0, hull = 0;
    overBox([&](Vec3 at, bool in) {
        inside += in ? 1 : 0;
        for (std::size_t i = 0; in && i < unit.size(); ++i)
            farthest[i] = std::max(farthest[i], dot(unit[i], at));
    });
    overBox([&](Vec3 at, bool in) {
        bool within = true;
        for (std::size_t i = 0; within && !in && i < unit.size(); ++i)
            within = dot(unit[i], at) <= farthest[i];
        hull += within ? 1 : 0;
    });
    return hull > 0 ? inside / hull : 0;
}

double millilitersInside(const Volume& phi) {
    const Vec3 spacing = phi.geometry.spacing();
    const double voxel = spacing.x * spacing.y * spacing.z / 1000;
    const auto width = static_cast<float>(std::max({spacing.x, spacing.y, spacing.z}));
    double sum = 0;
    for (const float value : phi.voxels.span())
        sum += static_cast<double>(std::clamp(0.5f - value / width, 0.0f, 1.0f));
    return sum * voxel;
}

double radiusOfBall(double milliliters) {
    return std::cbrt(0.75 / std::numbers::pi * 1000 * milliliters);
}

} // namespace systole
