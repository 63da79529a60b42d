#include "compute/methods/ffd/affine_levels.h"

#include "compute/ops/decimation.h"

#include <algorithm>
#include <numbers>

namespace systole::affine {
namespace {

/// Adds decimations until every axis that can be halved is as near to the spacing as it can get.
void decimateTo(double spacing, ImageLevels& levels) {
    for (;;) {
        const Geometry& fine = levels.grids.back();
        std::array<int, 3> factor{1, 1, 1};
        Vec3 coarse = fine.spacing(), first;
        int n[3] = {fine.size().x, fine.size().y, fine.size().z};
        bool any = false;
        for (int axis = 0; axis < 3; ++axis)
            if (coarse[axis] * std::numbers::sqrt2 <= spacing * (1 + 1e-6) &&
                n[axis] >= 2 * minSamples) {
                factor[static_cast<std::size_t>(axis)] = 2;
                coarse[axis] *= 2;
                first[axis] = decimationShift(n[axis], 2);
                n[axis] = decimatedVoxels(n[axis], 2);
                any = true;
            }
        if (!any)
            return;
        const Geometry grid({n[0], n[1], n[2]}, coarse, fine.indexToPhysical(first),
                            fine.direction());
        levels.factors.push_back(factor);
        levels.grids.push_back(grid);
    }
}

} // namespace

double smallestSpacing(const Geometry& grid) {
    double smallest = 0;
    for (int axis = 0; axis < 3; ++axis)
        // An axis of one voxel has no resolution.
        if (grid.size()[axis] > 1 && (smallest == 0 || grid.spacing()[axis] < smallest))
            smallest = grid.spacing()[axis];
    return smallest > 0 ? smallest : grid.spacing().x;
}

PairLevels pairLevels(const Geometry& fixed, const Geometry& moving, int maxLevels) {
    PairLevels levels;
    levels.fixed.grids = {fixed};
    levels.moving.grids = {moving};
    double spacing = std::max(smallestSpacing(fixed), smallestSpacing(moving));
    for (int level = 0; level < maxLevels; ++level, spacing *= 2) {
        decimateTo(spacing, levels.fixed);
        const std::size_t at = levels.fixed.grids.size() - 1;
        if (level > 0 && at == levels.fixed.ofLevel.back())
            break;
        decimateTo(spacing, levels.moving);
        levels.fixed.ofLevel.push_back(at);
        levels.moving.ofLevel.push_back(levels.moving.grids.size() - 1);
    }
    return levels;
}

} // namespace systole::affine
