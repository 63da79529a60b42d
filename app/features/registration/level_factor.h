// Size of a pyramid's level relative to the image: each level halves the axes, or leaves them.
#pragma once

#include "compute/core/geometry.h"

#include <array>

namespace systole {

/// The power of two that makes `full` voxels the `coarse` ones of a level.
constexpr int levelFactor(int full, int coarse) {
    int factor = 1;
    while ((full + factor - 1) / factor > coarse)
        factor *= 2;
    return factor;
}

constexpr std::array<int, 3> levelFactors(Size3 full, Size3 coarse) {
    return {levelFactor(full.x, coarse.x), levelFactor(full.y, coarse.y),
            levelFactor(full.z, coarse.z)};
}

} // namespace systole
