// The formulas of coarse_grid.h per voxel, shared by the CPU and CUDA.
#pragma once

#include "compute/ops/sample_cubic.h"
#include "compute/surface/coarse_grid.h"

namespace systole::coarsegrid {

/// position(to) = (voxel − middle of `from`) · ratio + middle of `to`, per axis.
struct Places {
    float ratio[3], shift[3];

    static Places toFine(const CoarseGrid& grid) {
        return between(grid.size, grid.fine, [&](std::size_t axis) { return grid.ratio[axis]; });
    }
    static Places toCoarse(const CoarseGrid& grid) {
        return between(grid.fine, grid.size,
                       [&](std::size_t axis) { return 1 / grid.ratio[axis]; });
    }
    constexpr Position of(int x, int y, int z) const {
        return {static_cast<float>(x) * ratio[0] + shift[0],
                static_cast<float>(y) * ratio[1] + shift[1],
                static_cast<float>(z) * ratio[2] + shift[2]};
    }

private:
    template <typename Ratio>
    static Places between(Size3 from, Size3 to, const Ratio& ratioOf) {
        Places places{};
        for (int axis = 0; axis < 3; ++axis) {
            const float ratio = ratioOf(static_cast<std::size_t>(axis));
            places.ratio[axis] = ratio;
            places.shift[axis] = 0.5f * (static_cast<float>(to[axis] - 1) -
                                         ratio * static_cast<float>(from[axis] - 1));
        }
        return places;
    }
};

constexpr float trilinear(const float* data, Size3 size, Position p) {
    return TrilinearSample(size, p).of(data);
}
constexpr float cubic(const float* data, Size3 size, Position p) {
    const auto nx = static_cast<std::size_t>(size.x), ny = static_cast<std::size_t>(size.y);
    return cubicSample(size, p.x, p.y, p.z, [&](int x, int y, int z) {
        return data[static_cast<std::size_t>(x) +
                    nx * (static_cast<std::size_t>(y) + ny * static_cast<std::size_t>(z))];
    });
}

} // namespace systole::coarsegrid
