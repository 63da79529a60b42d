// Helpers for tests of surfaces: masks by formula, and a phantom that isn't symmetric.
#pragma once

#include "compute/core/volume.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace systole::test {

struct TestMask {
    template <typename IsInside>
    TestMask(Size3 extent, const IsInside& isInside) : size(extent), voxels(extent.voxels()) {
        const VolumeView<std::uint8_t> all(voxels.data(), size);
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    all(x, y, z) = isInside(x, y, z) ? 1 : 0;
    }
    VolumeView<const std::uint8_t> view() const { return {voxels.data(), size}; }

    Size3 size;
    std::vector<std::uint8_t> voxels;
};

/// The signed distance in mm to an ellipse's simplest case: a ball around `center` (voxels).
struct Ball {
    Vec3 center;
    double radius;
    Vec3 spacing{1, 1, 1};
    double operator()(double x, double y, double z) const {
        return std::hypot((x - center.x) * spacing.x, (y - center.y) * spacing.y,
                          (z - center.z) * spacing.z) -
               radius;
    }
};

/// Each voxel inside with the same probability, the same mask every time.
inline TestMask randomMask(Size3 size, double probability) {
    std::mt19937 random(1234);
    return {size, [&](int, int, int) {
                return static_cast<double>(random() % 10000) < probability * 10000;
            }};
}

} // namespace systole::test
