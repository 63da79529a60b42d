// Helpers for tests of compute/: volumes by formula and comparisons.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/random.h"
#include "compute/core/volume.h"

#include <cmath>
#include <functional>
#include <vector>

namespace systole::test {

using Formula = std::function<double(double x, double y, double z)>;

struct TestVolume {
    TestVolume(Size3 extent, const Formula& formula) : size(extent), voxels(extent.voxels()) {
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    view()(x, y, z) = static_cast<float>(formula(x, y, z));
    }
    VolumeView<float> view() { return {voxels.data(), size}; }

    Size3 size;
    std::vector<float> voxels;
};

/// Normal noise, the same for the same seed.
inline TestVolume noiseVolume(Size3 size, std::uint64_t seed, double mean = 0,
                              double deviation = 1) {
    std::uint64_t counter = 0;
    return {size, [&](double, double, double) {
                return mean + deviation * static_cast<double>(
                                              normalPair(randomBits(seed, 7, counter++)).first);
            }};
}

struct TestField {
    explicit TestField(Size3 extent) : size(extent), values(3 * extent.voxels(), 0.0f) {}
    FieldView<float> view() { return {values.data(), size}; }
    Size3 size;
    std::vector<float> values;
};

inline double largestDifference(const std::vector<float>& a, const std::vector<float>& b) {
    double largest = a.size() == b.size() ? 0 : INFINITY;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
        largest =
            std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    return largest;
}

} // namespace systole::test
