// A box of voxels of a grid.
#pragma once

#include "compute/core/geometry.h"

#include <algorithm>
#include <cstddef>

namespace systole {

struct VoxelBox {
    int x = 0, y = 0, z = 0; ///< its first voxel
    Size3 size;

    static constexpr VoxelBox whole(Size3 grid) { return {0, 0, 0, grid}; }
    constexpr std::size_t voxels() const { return size.voxels(); }
    constexpr bool contains(const VoxelBox& other) const {
        return x <= other.x && y <= other.y && z <= other.z &&
               x + size.x >= other.x + other.size.x && y + size.y >= other.y + other.size.y &&
               z + size.z >= other.z + other.size.z;
    }
    /// The box with one more voxel on each side, where the grid has one.
    constexpr VoxelBox grown(Size3 grid) const {
        const int beginX = std::max(0, x - 1), beginY = std::max(0, y - 1),
                  beginZ = std::max(0, z - 1);
        return {beginX,
                beginY,
                beginZ,
                {std::min(grid.x, x + size.x + 1) - beginX,
                 std::min(grid.y, y + size.y + 1) - beginY,
                 std::min(grid.z, z + size.z + 1) - beginZ}};
    }
    bool operator==(const VoxelBox&) const = default;
};

} // namespace systole
