// The variance of an image's white noise, from second differences along all axes, which leave
// little of anything smoother (Immerkær, Computer Vision and Image Understanding 64(2), 1996).
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/ops/fused_math.h"

#include <cstddef>

namespace systole {

/// The second difference along every axis of three voxels and more. Products are exact.
struct WhiteNoiseFilter {
    Size3 size;
    std::size_t stride[3]{}; ///< 0 along an axis that is too short
    double voxels = 1;       ///< whose neighbors exist
    double gain = 1;         ///< variance of the result over that of white noise

    constexpr explicit WhiteNoiseFilter(Size3 of) : size(of) {
        std::size_t along = 1;
        for (int axis = 0; axis < 3; ++axis) {
            const int n = of[axis];
            stride[axis] = n < 3 ? 0 : along;
            voxels *= n < 3 ? n : n - 2;
            gain *= n < 3 ? 1 : 6;
            along *= static_cast<std::size_t>(n);
        }
    }
    constexpr bool inside(int x, int y, int z) const {
        const int at[3] = {x, y, z};
        for (int axis = 0; axis < 3; ++axis)
            if (stride[axis] != 0 && (at[axis] < 1 || at[axis] + 2 > size[axis]))
                return false;
        return true;
    }
    /// The difference along an axis at voxel i of what `value` gives for a voxel. `Fused` or not,
    /// the bits are the same; on the host, where it may be a call, it takes longer.
    template <bool Fused, typename Value>
    constexpr float along(int axis, std::size_t i, const Value& value) const {
        const std::size_t step = stride[axis];
        return step == 0 ? value(i)
               : Fused   ? fused(-2, value(i), value(i - step) + value(i + step))
                         : value(i - step) + value(i + step) - 2 * value(i);
    }
    /// The result's part along x and y.
    template <bool Fused>
    constexpr float planeAt(const float* image, std::size_t i) const {
        const auto row = [&](std::size_t at) {
            return along<Fused>(0, at, [&](std::size_t j) { return image[j]; });
        };
        return along<Fused>(1, i, row);
    }
    /// The result at voxel i, which is inside.
    template <bool Fused>
    constexpr float at(const float* image, std::size_t i) const {
        return along<Fused>(2, i, [&](std::size_t j) { return planeAt<Fused>(image, j); });
    }
    /// The square of a result: a multiple of the unit.
    static constexpr double square(float result) {
        const auto found = static_cast<double>(result);
        return onSumGrid(found * found, 1.0 / 16); // exact sums up to 2⁴⁹
    }
    /// Variance from the sum of the squares; 0 where all axes are too short.
    constexpr float variance(double sum) const {
        return gain > 1 ? static_cast<float>(sum / (voxels * gain)) : 0.0f;
    }
};

/// Gray values up to about 255. The same bits for any number of threads, and on a device.
float whiteNoise(VolumeView<const float> image, const ExecContext& ctx);

} // namespace systole
