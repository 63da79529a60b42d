// A block of wall whose axes are those of space: every strain is known.
#pragma once

#include "compute/cardiac/ventricle.h"

#include <memory>

namespace systole {

/// All voxels but those of the first and the last plane are wall; longitudinal x, circumferential
/// −y, radial z of LPS.
inline std::shared_ptr<const cardiac::Ventricle> boxVentricle(const Geometry& grid) {
    const cardiac::Placement placement{
        cardiac::LongAxis({0, 0, 0}, {50, 0, 0}, {0, 1, 0}), {}, {}, false, {}};
    auto ventricle =
        std::make_shared<cardiac::Ventricle>(cardiac::Ventricle{placement, {}, {}, {}, {}, {}, {}});
    ventricle->wall.grid = grid;
    for (int z = 1; z + 1 < grid.size().z; ++z)
        for (int y = 0; y < grid.size().y; ++y)
            for (int x = 0; x < grid.size().x; ++x)
                ventricle->wall.index.push_back({x, y, z});
    ventricle->axes.assign(ventricle->wall.index.size(), {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}});
    return ventricle;
}

} // namespace systole
