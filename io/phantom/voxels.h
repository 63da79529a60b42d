// Loops over the voxels of a phantom's picture.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/geometry.h"

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

} // namespace systole
