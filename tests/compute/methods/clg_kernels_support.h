// Helpers for tests of CLG's kernels on the device.
#pragma once

#include "compute/methods/clg/steps.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace systole::test {

/// Odd, short and one-voxel extents, and some that need several blocks.
inline const std::vector<Size3> sizes{{33, 18, 7}, {67, 5, 40}, {131, 9, 6}, {64, 32, 20},
                                      {1, 9, 20},  {40, 31, 1}, {17, 1, 5},  {1, 1, 1}};

/// Scales of two grids (PyramidLevel): cubes, and slices four times as thick as their pixels.
inline constexpr std::array<float, 3> cubes{1, 1, 1}, thickSlices{1, 0.9f, 0.25f};

inline std::string text(Size3 size) {
    return std::to_string(size.x) + "×" + std::to_string(size.y) + "×" + std::to_string(size.z);
}

/// Positions up to some voxels away, some of them outside.
inline TestField unevenField(Size3 size, float amplitude) {
    TestField field(size);
    for (std::size_t i = 0; i < field.values.size(); ++i)
        field.values[i] =
            amplitude * static_cast<float>(std::sin(0.37 * static_cast<double>(i) + 0.2));
    return field;
}

inline Values grayValues(Size3 size, std::uint64_t seed) {
    Values values = noiseVolume(size, seed).voxels;
    for (float& v : values)
        v = 120 + 40 * v;
    return values;
}

class ClgKernels : public OnDevice {
protected:
    std::unique_ptr<ClgForm> form = makeClgReferenceForm();
};

} // namespace systole::test
