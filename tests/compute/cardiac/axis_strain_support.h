// Motions and axes on grids of any size, for all implementations of compute/cardiac/axis_strain.h.
#pragma once

#include "compute/cardiac/axis_strain.h"
#include "compute/core/random.h"

#include <cmath>
#include <vector>

namespace systole::cardiac::testing {

/// Widths below, at and above those of vectors and blocks, and axes of one voxel.
inline constexpr Size3 strainSizes[] = {{1, 1, 1},  {2, 3, 1},  {5, 1, 4},    {9, 7, 2},
                                        {17, 6, 5}, {33, 9, 3}, {37, 19, 11}, {70, 33, 20}};

/// Random numbers from −1 to 1 for the motion; the first voxel and every fifth one has no axes.
struct StrainCase {
    explicit StrainCase(Size3 of) : size(of), in(9 * of.voxels()) {
        const std::size_t n = size.voxels();
        const auto number = [&](std::uint64_t seed, std::size_t i) {
            return 2 * uniformFloat(static_cast<std::uint32_t>(randomBits(seed, 1, i))) - 1;
        };
        for (std::size_t i = 0; i < 3 * n; ++i)
            in[i] = number(3, i);
        for (std::size_t i = 0; i < n; ++i) {
            const float a = 3 * number(4, i), b = 3 * number(5, i);
            const float axes[] = {
                std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a),
                std::cos(a) * std::cos(b), std::cos(a) * std::sin(b), -std::sin(a)};
            for (std::size_t k = 0; k < 6; ++k)
                in[(3 + k) * n + i] = i % 5 == 0 ? 0 : axes[k];
        }
    }
    Geometry grid() const { return {size, {1.5, 1.2, 2}}; }
    std::size_t outputs() const { return 4 * size.voxels(); }
    AxisStrain work(Tensor tensor, const float* values, float* out) const {
        const std::size_t n = size.voxels();
        return {.motion = {values, size},
                .longitudinal = {values + 3 * n, size},
                .radial = {values + 6 * n, size},
                .scale = axisScale(grid()),
                .tensor = tensor,
                .jacobian = {out, size},
                .strain = {out + n, size}};
    }

    Size3 size;
    std::vector<float> in; ///< motion, longitudinal and radial axis: planes
};

} // namespace systole::cardiac::testing
