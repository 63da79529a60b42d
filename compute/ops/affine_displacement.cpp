#include "compute/ops/affine_displacement.h"

#include "compute/core/error.h"

namespace systole {

void displacementOf(const AffineMap& map, const FrameGrids& grids, FieldView<float> voxels,
                    const ExecContext& ctx) {
    const Geometry& grid = grids.fixed;
    if (voxels.size != grid.size())
        throw ComputeError(
            "the displacement field of an affine map must have the fixed grid's size");
    const auto displacement = [&](double x, double y, double z) {
        const Vec3 point = grid.indexToPhysical({x, y, z});
        return grid.physicalVectorToVoxel(map(point) - point);
    };
    // Affine, too: its value at the first voxel and the steps along each axis are enough.
    const Vec3 first = displacement(0, 0, 0);
    const Vec3 alongX = displacement(1, 0, 0) - first, alongY = displacement(0, 1, 0) - first,
               alongZ = displacement(0, 0, 1) - first;
    const Size3 size = voxels.size;
    parallelFor(ctx, size.z, 2, [&](int begin, int end) {
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; ++y) {
                const Vec3 row =
                    first + static_cast<double>(y) * alongY + static_cast<double>(z) * alongZ;
                const std::size_t i = voxels.componentView(0).offset(0, y, z);
                for (int axis = 0; axis < 3; ++axis)
                    for (int x = 0; x < size.x; ++x)
                        voxels.component(axis)[i + static_cast<std::size_t>(x)] =
                            static_cast<float>(row[axis] + x * alongX[axis]);
            }
    });
}

} // namespace systole
