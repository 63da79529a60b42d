// The neighbors of a voxel that lie in its grid. For formulas that host and device compilers share.
#pragma once

#include "compute/core/geometry.h"

namespace systole {

/// Calls at(x, y, z) for the neighbors across the six faces.
template <typename At>
constexpr void overFaces(Size3 size, int x, int y, int z, const At& at) {
    if (x > 0)
        at(x - 1, y, z);
    if (x + 1 < size.x)
        at(x + 1, y, z);
    if (y > 0)
        at(x, y - 1, z);
    if (y + 1 < size.y)
        at(x, y + 1, z);
    if (z > 0)
        at(x, y, z - 1);
    if (z + 1 < size.z)
        at(x, y, z + 1);
}

} // namespace systole
