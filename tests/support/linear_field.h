// A displacement that is linear in space.
#pragma once

#include "compute/core/volume.h"

namespace systole {

/// w(p) = m (p − center of the grid), in mm.
inline VectorField linearField(const Geometry& grid, const Matrix3& m, BufferPool& pool) {
    VectorField field(grid, pool, "field");
    const FieldView<float> view = field.view();
    for (int z = 0; z < view.size.z; ++z)
        for (int y = 0; y < view.size.y; ++y)
            for (int x = 0; x < view.size.x; ++x) {
                const Vec3 p = grid.indexToPhysical(
                    {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                const Vec3 w = grid.physicalVectorToVoxel(m * (p - grid.center()));
                for (int axis = 0; axis < 3; ++axis)
                    view.componentView(axis)(x, y, z) = static_cast<float>(w[axis]);
            }
    return field;
}

} // namespace systole
