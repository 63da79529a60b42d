#include "app/session/shown_slices.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

bool liesAlongAnatomy(const Geometry& grid) {
    constexpr double straight = 1 - 1e-6;
    for (int column = 0; column < 3; ++column) {
        bool along = false;
        for (std::size_t row = 0; row < 3; ++row)
            along = along ||
                    std::abs(grid.direction()[row][static_cast<std::size_t>(column)]) > straight;
        if (!along)
            return false;
    }
    return true;
}

} // namespace

std::vector<VoxelBox> shownSlices(Layout layout, Vec3 crosshair, const Geometry& grid) {
    if (layout != Layout::ThreeSlices || !liesAlongAnatomy(grid))
        return {};
    const Vec3 index = grid.physicalToIndex(crosshair);
    const Size3 size = grid.size();
    std::vector<VoxelBox> boxes;
    for (int axis = 0; axis < 3; ++axis) {
        VoxelBox box = VoxelBox::whole(size);
        int* const first[] = {&box.x, &box.y, &box.z};
        int* const count[] = {&box.size.x, &box.size.y, &box.size.z};
        // A slice that is rounded onto a plane of voxels may take either neighbor.
        const int below =
            std::clamp(static_cast<int>(std::floor(index[axis] - 1e-3)), 0, size[axis] - 1);
        const int above =
            std::clamp(static_cast<int>(std::floor(index[axis] + 1e-3)) + 1, below, size[axis] - 1);
        *first[axis] = below;
        *count[axis] = above - below + 1;
        boxes.push_back(box);
    }
    return boxes;
}

} // namespace systole
