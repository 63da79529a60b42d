#include "compute/ops/index_map.h"

#include "compute/ops/two_grids.h"

namespace systole {

IndexMap IndexMap::between(const Geometry& fixed, const Geometry& moving,
                           const std::array<int, 3>& fixedFactor,
                           const std::array<int, 3>& movingFactor) {
    IndexMap map;
    if (fixed.matches(moving) && fixedFactor == movingFactor)
        return map;
    const AffineMap exact = indexAffine(fixed, moving);
    const auto shift = [](const Geometry& grid, const std::array<int, 3>& factor) {
        return decimationShift(grid.size(), {factor[0], factor[1], factor[2]});
    };
    const Vec3 first = exact(shift(fixed, fixedFactor)) - shift(moving, movingFactor);
    for (int row = 0; row < 3; ++row) {
        const auto r = static_cast<std::size_t>(row);
        for (std::size_t column = 0; column < 3; ++column)
            map.matrix[r][column] =
                static_cast<float>(exact.matrix[r][column] * fixedFactor[column] / movingFactor[r]);
        map.offset[r] = static_cast<float>(first[row] / movingFactor[r]);
    }
    return map;
}

} // namespace systole
