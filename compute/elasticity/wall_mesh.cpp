#include "compute/core/error.h"
#include "compute/elasticity/wall_system.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace systole::elasticity {

std::array<int, 3> WallMesh::place(std::int32_t node) const {
    const Size3 grid = corners();
    const std::int64_t corner = cornerOf[std::size_t(node)];
    const std::int64_t row = corner / grid.x;
    return {static_cast<int>(corner % grid.x), static_cast<int>(row % grid.y),
            static_cast<int>(row / grid.y)};
}

Vec3 WallMesh::position(std::int32_t node) const {
    const auto [x, y, z] = place(node);
    return {(x - 0.5) * spacing.x, (y - 0.5) * spacing.y, (z - 0.5) * spacing.z};
}

bool WallMesh::onSurface(std::int32_t node) const {
    const VolumeView<const std::uint8_t> wall(inWall.data(), voxels);
    const auto [x, y, z] = place(node);
    if (x == 0 || y == 0 || z == 0 || x == voxels.x || y == voxels.y || z == voxels.z)
        return true;
    for (int around = 0; around < 8; ++around)
        if (wall(x - (around & 1), y - (around >> 1 & 1), z - (around >> 2)) == 0)
            return true;
    return false;
}

WallMesh meshOfWall(VolumeView<const std::uint8_t> wall, Vec3 spacing) {
    for (int axis = 0; axis < 3; ++axis)
        if (!std::isfinite(spacing[axis]) || spacing[axis] <= 0)
            throw ComputeError(fmt::format(
                "the spacing of a wall's voxels is {} mm; it must be finite and above 0",
                spacing[axis]));
    WallMesh mesh;
    mesh.voxels = wall.size;
    mesh.spacing = spacing;
    mesh.inWall.resize(wall.voxels());
    const Size3 grid = mesh.corners();
    mesh.nodeAt.assign(grid.voxels(), -1);
    const VolumeView<std::int32_t> nodeAt(mesh.nodeAt.data(), grid);
    for (int z = 0; z < wall.size.z; ++z)
        for (int y = 0; y < wall.size.y; ++y)
            for (int x = 0; x < wall.size.x; ++x) {
                if (wall(x, y, z) == 0)
                    continue;
                mesh.inWall[wall.offset(x, y, z)] = 1;
                for (int corner = 0; corner < 8; ++corner)
                    nodeAt(x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2)) = 0;
            }
    for (std::size_t corner = 0; corner < mesh.nodeAt.size(); ++corner)
        if (mesh.nodeAt[corner] == 0) {
            if (mesh.nodes() >= std::numeric_limits<std::int32_t>::max() / 3)
                throw ComputeError("the wall has more nodes than the elastic system can number; "
                                   "choose a smaller label or coarser voxels");
            mesh.nodeAt[corner] = static_cast<std::int32_t>(mesh.nodes());
            mesh.cornerOf.push_back(static_cast<std::int64_t>(corner));
        }
    if (mesh.cornerOf.empty())
        throw ComputeError("the wall has no voxel; an elastic wall needs a label that occurs");
    return mesh;
}

} // namespace systole::elasticity
