#include "compute/surface/redistance_reference.h"

#include "compute/ops/over_voxels.h"
#include "compute/surface/closest_points.h"

#include <cmath>
#include <limits>
#include <vector>

namespace systole {

void nearestOfAllPoints(FieldView<const float> points, Vec3 spacing,
                        VolumeView<std::int32_t> source, const ExecContext& ctx) {
    std::vector<std::int32_t> all;
    for (std::size_t i = 0; i < source.voxels(); ++i)
        if (!std::isnan(points.u[i]))
            all.push_back(static_cast<std::int32_t>(i));
    const auto sx = static_cast<float>(spacing.x), sy = static_cast<float>(spacing.y),
               sz = static_cast<float>(spacing.z);
    overVoxels(source.size, ctx, [&](int x, int y, int z) {
        source(x, y, z) = -1;
        float least = std::numeric_limits<float>::infinity();
        for (const std::int32_t from : all) {
            const float squared = squaredDistanceTo(points, from, sx, sy, sz, x, y, z);
            if (squared < least) {
                least = squared;
                source(x, y, z) = from;
            }
        }
    });
}

} // namespace systole
