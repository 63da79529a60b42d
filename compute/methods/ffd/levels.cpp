#include "compute/methods/ffd/levels.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

Size3 sizeFrom(const std::array<int, 3>& a) { return {a[0], a[1], a[2]}; }

/// An image of twice as many voxels along its longest axis as 128 has one level more, and so on:
/// what moves as a share of its size would be lost (`systole bench accuracy --size 256`).
int levelsFor(Size3 size, int usual) {
    if (usual < 3)
        return usual; // asked for, or close to the motion already
    for (int longest = std::max({size.x, size.y, size.z}); longest >= 256; longest /= 2)
        ++usual;
    return usual;
}

/// The coarsest level whose voxels are hardly larger than those of the fixed image.
std::size_t matchingLevel(const std::vector<PyramidLevel>& moving, double fixedSpacing) {
    std::size_t level = 0;
    while (level + 1 < moving.size() &&
           smallestOf(moving[level + 1].spacing) <= 1.25 * fixedSpacing)
        ++level;
    return level;
}

/// Lays the tiles of all levels over their images.
void placeTiles(std::vector<FfdLevel>& levels) {
    std::array<int, 3> multiple{1, 1, 1};
    for (std::size_t index = levels.size(); index-- > 0;) {
        FfdLevel& level = levels[index];
        level.grid = ControlGrid::centered(level.image.size, level.grid.tile, sizeFrom(multiple));
        for (std::size_t axis = 0; axis < 3; ++axis)
            multiple[axis] = std::max(multiple[axis], level.refinement[axis]);
    }
}

} // namespace

std::size_t FfdLevels::maxPoints() const {
    std::size_t largest = 0;
    for (const FfdLevel& level : levels)
        largest = std::max(largest, level.grid.points().voxels());
    return largest;
}

FfdLevels ffdLevels(const Geometry& fixed, const Geometry& moving, int levels, double spacing) {
    FfdLevels all;
    levels = levelsFor(fixed.size(), levels);
    all.moving = pyramidLevels(moving.size(), moving.spacing(), levels);
    std::array<int, 3> factor{1, 1, 1}, tile{};
    const double unit = smallestOf(fixed.spacing());
    for (const PyramidLevel& image : pyramidLevels(fixed.size(), fixed.spacing(), levels)) {
        FfdLevel level;
        level.image = image;
        const double wanted = spacing * smallestOf(image.spacing);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double voxel = image.spacing[static_cast<int>(axis)];
            factor[axis] *= image.factor[axis];
            if (all.levels.empty())
                tile[axis] = std::max(1, static_cast<int>(std::lround(wanted / voxel)));
            else if (image.factor[axis] == 2)
                level.refinement[axis] = 2;
            else if (2 * tile[axis] * voxel <= 1.5 * wanted) {
                level.refinement[axis] = 2;
                tile[axis] *= 2;
            }
            level.unit[static_cast<int>(axis)] = voxel / unit;
        }
        level.factor = factor;
        level.grid.tile = sizeFrom(tile);
        level.moving = fixed.matches(moving) ? all.levels.size()
                                             : matchingLevel(all.moving, smallestOf(image.spacing));
        std::array<int, 3> movingFactor{1, 1, 1};
        for (std::size_t m = 0; m <= level.moving; ++m)
            for (std::size_t axis = 0; axis < 3; ++axis)
                movingFactor[axis] *= all.moving[m].factor[axis];
        level.map = IndexMap::between(fixed, moving, factor, movingFactor);
        all.levels.push_back(level);
    }
    placeTiles(all.levels);
    return all;
}

FrameGrids gridsOf(const MotionInput& input) {
    if (input.grids)
        return *input.grids;
    return {Geometry(input.fixed.size, input.spacing), Geometry(input.moving.size, input.spacing)};
}

} // namespace systole
