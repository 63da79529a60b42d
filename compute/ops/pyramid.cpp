#include "compute/ops/pyramid.h"

#include <algorithm>

namespace systole {
namespace {

constexpr int coarsestAxisSamples = 16;

std::array<int, 3> halving(Size3 size, Vec3 spacing) {
    const double smallest = std::min({spacing.x, spacing.y, spacing.z});
    std::array<int, 3> factor{1, 1, 1};
    for (int axis = 0; axis < 3; ++axis)
        if (spacing[axis] <= 1.5 * smallest && size[axis] >= coarsestAxisSamples)
            factor[static_cast<std::size_t>(axis)] = 2;
    return factor;
}

Size3 halved(Size3 size, std::array<int, 3> factor) {
    return {(size.x + factor[0] - 1) / factor[0], (size.y + factor[1] - 1) / factor[1],
            (size.z + factor[2] - 1) / factor[2]};
}

} // namespace

std::array<float, 3> ClgLevel::scale() const {
    const double smallest = std::min({spacing.x, spacing.y, spacing.z});
    std::array<float, 3> scale{};
    for (int axis = 0; axis < 3; ++axis)
        scale[static_cast<std::size_t>(axis)] = static_cast<float>(smallest / spacing[axis]);
    return scale;
}

std::vector<ClgLevel> clgLevels(Size3 size, Vec3 spacing, int most) {
    std::vector<ClgLevel> levels(1);
    levels[0].size = size;
    levels[0].spacing = spacing;
    while (static_cast<int>(levels.size()) < most) {
        const ClgLevel& fine = levels.back();
        ClgLevel coarse;
        coarse.factor = halving(fine.size, fine.spacing);
        coarse.size = halved(fine.size, coarse.factor);
        if (coarse.size == fine.size)
            break;
        for (int axis = 0; axis < 3; ++axis)
            coarse.spacing[axis] =
                fine.spacing[axis] * coarse.factor[static_cast<std::size_t>(axis)];
        levels.push_back(coarse);
    }
    return levels;
}

} // namespace systole
