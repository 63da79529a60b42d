// Loops over the voxels of a phantom's picture, and true motion.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <cstddef>

namespace systole {

/// Calls visit(flat index, x, y, z) for every voxel, in parallel over planes.
template <class Visit>
void forEachVoxel(Size3 size, const ExecContext& ctx, const Visit& visit) {
    parallelFor(ctx, size.z, 1, [&](int begin, int end) {
        std::size_t i = static_cast<std::size_t>(begin) * static_cast<std::size_t>(size.x) *
                        static_cast<std::size_t>(size.y);
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    visit(i++, x, y, z);
    });
}

inline Vec3 indexOf(int x, int y, int z) {
    return {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
}

/// The displacement in voxels of every voxel, by moved(its position, LPS mm), LPS mm.
template <class Moved>
VectorField trueMotion(const Geometry& grid, const ExecContext& ctx, const Moved& moved) {
    VectorField field(grid, *ctx.pool, "true motion");
    const FieldView<float> out = field.view();
    forEachVoxel(grid.size(), ctx, [&](std::size_t i, int x, int y, int z) {
        const Vec3 d = grid.physicalVectorToVoxel(moved(grid.indexToPhysical(indexOf(x, y, z))));
        out.u[i] = static_cast<float>(d.x);
        out.v[i] = static_cast<float>(d.y);
        out.w[i] = static_cast<float>(d.z);
    });
    return field;
}

} // namespace systole
