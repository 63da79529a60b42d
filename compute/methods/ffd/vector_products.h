// Products of vectors of control points in an order that the host and a device share. Number i of a
// component belongs to strand i mod (256 · blocks); a strand is added up in double precision along
// i, for each axis alone, and its sum times the axis' weight. Of the 256 strands of a block, groups
// of 32 are added by halves (i and i + 16, then i + 8 …), groups one after another; the blocks by
// halves.
#pragma once

#include "compute/core/volume.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace systole::strands {

inline constexpr int perBlock = 256, perGroup = 32, maxBlocks = 32;

/// Blocks of strands for so many points.
constexpr int blocksFor(std::size_t points) {
    return static_cast<int>(
        std::clamp<std::size_t>((points + perBlock - 1) / perBlock, 1, maxBlocks));
}

/// The sum of the values, so many as a power of two, which are overwritten: i and i + n/2, then i
/// and i + n/4 …, as lanes of a warp exchange theirs.
constexpr double byHalves(std::span<double> values) {
    for (std::size_t half = values.size() / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i)
            values[i] += values[i + half];
    return values[0];
}

/// Σ over the axes of weights[axis] · Σ a · b; each axis has so many points. On the host.
double product(const FieldView<const float>& a, const FieldView<const float>& b, Vec3 weights);

} // namespace systole::strands
