#include "compute/surface/label_box.h"

#include "compute/core/points.h"

#include <algorithm>
#include <cmath>

namespace systole {

std::optional<VoxelBox> boxOfLabel(VolumeView<const float> labels, int label) {
    const Size3 size = labels.size;
    int low[3] = {size.x, size.y, size.z}, high[3] = {-1, -1, -1};
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y) {
            const float* const row = labels.row(y, z);
            for (int x = 0; x < size.x; ++x) {
                if (std::lround(row[x]) != label)
                    continue;
                const int at[3] = {x, y, z};
                for (int axis = 0; axis < 3; ++axis) {
                    low[axis] = std::min(low[axis], at[axis]);
                    high[axis] = std::max(high[axis], at[axis]);
                }
            }
        }
    if (high[0] < 0)
        return std::nullopt;
    return VoxelBox{
        low[0], low[1], low[2], {high[0] - low[0] + 1, high[1] - low[1] + 1, high[2] - low[2] + 1}};
}

VoxelBox boxBetween(Vec3 first, Vec3 last, Size3 grid) {
    int low[3], count[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double begin = std::max(0.0, first[axis]),
                     end = std::min(grid[axis] - 1.0, last[axis]);
        if (!(begin <= end))
            return {};
        low[axis] = static_cast<int>(begin);
        count[axis] = static_cast<int>(end - begin) + 1;
    }
    return {low[0], low[1], low[2], {count[0], count[1], count[2]}};
}

VoxelBox hull(const VoxelBox& a, const VoxelBox& b) {
    const int x = std::min(a.x, b.x), y = std::min(a.y, b.y), z = std::min(a.z, b.z);
    return {x,
            y,
            z,
            {std::max(a.x + a.size.x, b.x + b.size.x) - x,
             std::max(a.y + a.size.y, b.y + b.size.y) - y,
             std::max(a.z + a.size.z, b.z + b.size.z) - z}};
}

VoxelBox grownBy(const VoxelBox& box, double millimeters, const Geometry& grid) {
    const Vec3 spacing = grid.spacing();
    const Size3 size = grid.size();
    const auto range = [&](int first, int count, double side, int most) {
        const auto margin =
            static_cast<int>(std::ceil(std::min(millimeters / side, static_cast<double>(most))));
        const int begin = std::max(0, first - margin);
        return std::pair(begin, std::min(most, first + count + margin) - begin);
    };
    const auto [x, width] = range(box.x, box.size.x, spacing.x, size.x);
    const auto [y, height] = range(box.y, box.size.y, spacing.y, size.y);
    const auto [z, depth] = range(box.z, box.size.z, spacing.z, size.z);
    return {x, y, z, {width, height, depth}};
}

Geometry geometryOf(const VoxelBox& box, const Geometry& grid) {
    return {box.size, grid.spacing(), centerOfVoxel(grid, box.x, box.y, box.z), grid.direction()};
}

void copyBox(VolumeView<const float> volume, const VoxelBox& box, VolumeView<float> out) {
    for (int z = 0; z < box.size.z; ++z)
        for (int y = 0; y < box.size.y; ++y)
            std::copy_n(volume.row(box.y + y, box.z + z) + box.x, box.size.x, out.row(y, z));
}

} // namespace systole
