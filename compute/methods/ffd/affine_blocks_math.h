// The formulas of block matching, shared by the plain loops, SIMD and the CUDA kernels. Every
// product that is added is a fused one, so that no compiler has a choice.
#pragma once

#include "compute/methods/ffd/affine_blocks.h"
#include "compute/ops/fused_math.h"

#include <cmath>

namespace systole::affine {

/// Variance below this share of the sum of squares is rounding.
inline constexpr float minVariancePart = 1e-5f;

/// Variance of a block below this share of its squared mean is rounding: the block is constant.
inline constexpr float minContrast = 1e-11f;

/// Sums over the voxels of a window that can be compared: their number, fixed value f, moving value
/// m, and products.
struct WindowSums {
    float n, f, ff, m, mm, fm;
};

/// NCC² with the sign of the correlation, or its absolute value; below -1 if the window can't be
/// compared. `voxels` is the number of voxels of a block.
constexpr float score(const WindowSums& s, float voxels, Sign sign) {
    if (2 * s.n < voxels)
        return -2;
    const float ff = fused(-s.f, s.f / s.n, s.ff);
    const float mm = fused(-s.m, s.m / s.n, s.mm);
    if (!(ff > minVariancePart * s.ff) || !(mm > minVariancePart * s.mm))
        return -2;
    const float fm = fused(-s.f, s.m / s.n, s.fm);
    const float square = (fm / ff) * (fm / mm);
    return sign == Sign::Matters && fm < 0 ? -square : square;
}

/// score() of a window of which every voxel counts, with the fixed block's mean subtracted and its
/// sum of squares `ff`, above 0.
constexpr float fullScore(float ff, float m, float mm, float fm, float voxels, Sign sign) {
    const float square = fused(-m, m / voxels, mm);
    if (!(square > minVariancePart * mm))
        return -2;
    const float ratio = (fm / ff) * (fm / square);
    return sign == Sign::Matters && fm < 0 ? -ratio : ratio;
}

/// Variance of a block, or -1: see blockVariances().
constexpr float blockVariance(VolumeView<const float> image, VolumeView<const float> mask,
                              int block) {
    const BlockGrid grid{image.size};
    const Voxel o = grid.origin(block);
    const Size3 e = grid.extent();
    const auto voxels = static_cast<float>(e.voxels());
    const auto sum = [&](const auto& value) {
        float total = 0;
        for (int z = 0; z < e.z; ++z)
            for (int y = 0; y < e.y; ++y)
                for (int x = 0; x < e.x; ++x)
                    total = value(image.offset(o.x + x, o.y + y, o.z + z), total);
        return total;
    };
    if (!mask.empty() && 2 * sum([&](std::size_t i, float total) {
                             return mask.data[i] >= 0.5f ? total + 1 : total;
                         }) < voxels)
        return -1;
    const float mean =
        sum([&](std::size_t i, float total) { return total + image.data[i]; }) / voxels;
    const float variance = sum([&](std::size_t i, float total) {
                               return fused(image.data[i] - mean, image.data[i] - mean, total);
                           }) /
                           voxels;
    return variance > minContrast * (mean * mean) ? variance : 0;
}

/// Index of the candidate displaced by (dx, dy, dz) − searchRadius, each from 0.
constexpr int candidateIndex(int dx, int dy, int dz) {
    return dx + searchSide * (dy + searchSide * dz);
}

/// `root` is the correctly rounded square root.
template <typename Root>
constexpr float correlationOf(float score, const Root& root) {
    return score < 0 ? -root(-score) : root(score);
}

/// Position of the maximum of the parabola through (-1, below), (0, best), (1, above), from -0.5 to
/// 0.5; `best` is not less than the others.
constexpr float parabolaPeak(float below, float best, float above) {
    const float bend = (best - below) + (best - above);
    return bend > 0 ? 0.5f * (above - below) / bend : 0.0f;
}

constexpr bool inRadius(int d, int radius) {
    return d >= searchRadius - radius && d <= searchRadius + radius;
}
/// Whether a candidate belongs to a search.
constexpr bool inSearch(int candidate, int radius) {
    return inRadius(candidate % searchSide, radius) &&
           inRadius(candidate / searchSide % searchSide, radius) &&
           inRadius(candidate / (searchSide * searchSide), radius);
}

/// The match whose best candidate is `best`, given the scores of all: below -1 outside the search.
template <typename Root>
constexpr BlockMatch matchOf(const float* scores, int best, const Root& root) {
    constexpr int middle = candidateIndex(searchRadius, searchRadius, searchRadius);
    BlockMatch match{0, 0, 0, 0, correlationOf(scores[middle], root)};
    if (scores[middle] < -1)
        match.here = __builtin_nanf("");
    if (!(scores[best] > 0))
        return match;
    match.correlation = correlationOf(scores[best], root);
    const int at[3] = {best % searchSide, best / searchSide % searchSide,
                       best / (searchSide * searchSide)};
    float* const out[3] = {&match.x, &match.y, &match.z};
    for (int axis = 0, stride = 1; axis < 3; ++axis, stride *= searchSide) {
        float part = 0;
        if (at[axis] > 0 && at[axis] + 1 < searchSide && scores[best - stride] > -1.5f &&
            scores[best + stride] > -1.5f)
            part = parabolaPeak(correlationOf(scores[best - stride], root), match.correlation,
                                correlationOf(scores[best + stride], root));
        *out[axis] = static_cast<float>(at[axis] - searchRadius) + part;
    }
    return match;
}

/// A voxel position under the map; y and z of a row are done first.
struct RowStart {
    float x, y, z;
    constexpr RowStart(const VoxelMap& map, int atY, int atZ)
        : x(along(map[0], atY, atZ)), y(along(map[1], atY, atZ)), z(along(map[2], atY, atZ)) {}

private:
    static constexpr float along(const std::array<float, 4>& row, int atY, int atZ) {
        return fused(row[1], static_cast<float>(atY),
                     fused(row[2], static_cast<float>(atZ), row[3]));
    }
};

/// Whether a position lies in the voxels of the grid, each of which reaches half a voxel to either
/// side.
constexpr bool inVoxels(float x, float y, float z, Size3 size) {
    return x >= -0.5f && y >= -0.5f && z >= -0.5f && x <= static_cast<float>(size.x) - 0.5f &&
           y <= static_cast<float>(size.y) - 0.5f && z <= static_cast<float>(size.z) - 0.5f;
}

} // namespace systole::affine
