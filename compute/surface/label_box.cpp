#include "compute/surface/label_box.h"

#include "compute/core/points.h"

#include <algorithm>
#include <cmath>

namespace systole {

std::optional<VoxelBox> boxOfLabel(VolumeView<const float> labels, int label) {
    const Size3 size = labels.size;
    Bounds bounds;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y) {
            const float* const row = labels.row(y, z);
            for (int x = 0; x < size.x; ++x)
                if (std::lround(row[x]) == label)
                    bounds.add(voxelPoint(x, y, z));
        }
    if (bounds.low.x > bounds.high.x)
        return std::nullopt;
    return boxBetween(bounds.low, bounds.high, size);
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
    const Vec3 margin{std::ceil(millimeters / spacing.x), std::ceil(millimeters / spacing.y),
                      std::ceil(millimeters / spacing.z)};
    const Vec3 last =
        voxelPoint(box.x + box.size.x - 1, box.y + box.size.y - 1, box.z + box.size.z - 1);
    return boxBetween(voxelPoint(box.x, box.y, box.z) - margin, last + margin, grid.size());
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
