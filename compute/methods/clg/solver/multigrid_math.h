// The grids of CLG's multigrid cycle and the two transfers between them, for one voxel: shared by
// the CPU implementation and the CUDA kernels.
#pragma once

#include "compute/methods/clg/solver/math.h"

#include <array>
#include <vector>

namespace systole::clg {

inline constexpr int coarsestAxis = 8; ///< an axis of fewer voxels is not halved
inline constexpr int smoothingSweeps = 2;
inline constexpr int coarsestSweeps = 24;

/// How many times coarser the next grid is along each axis.
constexpr std::array<int, 3> coarseningOf(Size3 size) {
    const auto factor = [](int n) { return n < coarsestAxis ? 1 : 2; };
    return {factor(size.x), factor(size.y), factor(size.z)};
}

constexpr Size3 coarsened(Size3 size, const std::array<int, 3>& factor) {
    const auto shrunk = [](int n, int f) { return (n + f - 1) / f; };
    return {shrunk(size.x, factor[0]), shrunk(size.y, factor[1]), shrunk(size.z, factor[2])};
}

/// The sizes of the cycle's grids, the finest first.
inline std::vector<Size3> gridSizes(Size3 size) {
    std::vector<Size3> sizes{size};
    for (;;) {
        const Size3 coarse = coarsened(sizes.back(), coarseningOf(sizes.back()));
        if (coarse == sizes.back())
            return sizes;
        sizes.push_back(coarse);
    }
}

/// Σ read(coarse · factor + offset) · ¼ ½ ¼ per decimated axis; a tap beyond the border is dropped
/// and the weights of the rest grow.
template <typename Read>
constexpr float fullWeighting(Size3 fine, const std::array<int, 3>& factor, Voxel coarse,
                              const Read& read) {
    float sum = 0, total = 0;
    const auto reach = [&](std::size_t axis) { return factor[axis] > 1 ? 1 : 0; };
    for (int c = -reach(2); c <= reach(2); ++c)
        for (int b = -reach(1); b <= reach(1); ++b)
            for (int a = -reach(0); a <= reach(0); ++a) {
                const Voxel p{coarse.x * factor[0] + a, coarse.y * factor[1] + b,
                              coarse.z * factor[2] + c};
                if (p.x < 0 || p.y < 0 || p.z < 0 || p.x >= fine.x || p.y >= fine.y ||
                    p.z >= fine.z)
                    continue;
                const float weight = (a ? 0.5f : 1.0f) * (b ? 0.5f : 1.0f) * (c ? 0.5f : 1.0f);
                sum += weight * read(p);
                total += weight;
            }
    return sum / total;
}

/// The coarse grid's value at a fine voxel, trilinear; read(x, y, z) returns coarse values.
template <typename Read>
constexpr float prolonged(Size3 coarse, const std::array<int, 3>& factor, Voxel fine,
                          const Read& read) {
    int low[3] = {}, high[3] = {};
    float part[3] = {};
    for (int axis = 0; axis < 3; ++axis) {
        const int f = factor[static_cast<std::size_t>(axis)];
        low[axis] = fine[axis] / f;
        high[axis] = std::min(low[axis] + 1, coarse[axis] - 1);
        part[axis] = f > 1 && fine[axis] % 2 ? 0.5f : 0.0f;
    }
    float sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
        const bool x = corner & 1, y = corner & 2, z = corner & 4;
        const float weight =
            (x ? part[0] : 1 - part[0]) * (y ? part[1] : 1 - part[1]) * (z ? part[2] : 1 - part[2]);
        if (weight > 0)
            sum += weight * read(x ? high[0] : low[0], y ? high[1] : low[1], z ? high[2] : low[2]);
    }
    return sum;
}

} // namespace systole::clg
