// A volume whose gray values are a function of the voxel.
#pragma once

#include "compute/core/volume.h"

namespace systole::test {

/// value(x, y, z) at every voxel.
template <typename Value>
Volume volumeOf(const Geometry& geometry, BufferPool& pool, const Value& value) {
    Volume made(geometry, pool, "test volume");
    const Size3 size = geometry.size();
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x)
                made.view()(x, y, z) = static_cast<float>(value(x, y, z));
    return made;
}

} // namespace systole::test
