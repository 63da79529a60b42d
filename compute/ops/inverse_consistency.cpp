#include "compute/ops/inverse_consistency.h"

#include "compute/ops/over_voxels.h"
#include "compute/ops/sample.h"
#include "compute/ops/two_grids.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace systole {
namespace {

/// Among the voxel centers, so that the field is interpolated; half a voxel around a single plane.
bool isInside(Vec3 position, Size3 size) {
    for (int axis = 0; axis < 3; ++axis) {
        const double margin = size[axis] > 1 ? 0 : 0.5;
        if (!(position[axis] >= -margin && position[axis] <= size[axis] - 1 + margin))
            return false;
    }
    return true;
}

Vec3 valueAt(FieldView<const float> field, Vec3 position) {
    const TrilinearSample sample(field.size, static_cast<float>(position.x),
                                 static_cast<float>(position.y), static_cast<float>(position.z));
    return {static_cast<double>(sample.of(field.u)), static_cast<double>(sample.of(field.v)),
            static_cast<double>(sample.of(field.w))};
}

} // namespace

ConsistencyReport inverseConsistency(const VectorField& forward, const VectorField& back,
                                     VolumeView<const float> mask, const ExecContext& ctx) {
    struct Sums {
        std::size_t count = 0;
        double sum = 0, largest = 0;
    };
    const FieldView<const float> there = forward.view();
    const Geometry &fixed = forward.geometry, &moving = back.geometry;
    const IndexAffine toMoving = indexAffine(fixed, moving);
    std::vector<Sums> planes(static_cast<std::size_t>(there.size.z));
    overVoxels(there.size, ctx, [&](int x, int y, int z) {
        if (!mask.empty() && !(mask(x, y, z) > 0))
            return;
        const Vec3 start{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
        const std::size_t i = there.componentView(0).offset(x, y, z);
        const Vec3 away{static_cast<double>(there.u[i]), static_cast<double>(there.v[i]),
                        static_cast<double>(there.w[i])};
        const Vec3 reached = toMoving(start + away);
        if (!isInside(reached, moving.size()))
            return;
        const Vec3 missed = moving.indexToPhysical(reached + valueAt(back.view(), reached)) -
                            fixed.indexToPhysical(start);
        const double error = std::sqrt(dot(missed, missed));
        Sums& plane = planes[static_cast<std::size_t>(z)];
        ++plane.count;
        plane.sum += error;
        plane.largest = std::max(plane.largest, error);
    });
    Sums all;
    for (const Sums& plane : planes) {
        all.count += plane.count;
        all.sum += plane.sum;
        all.largest = std::max(all.largest, plane.largest);
    }
    if (all.count == 0)
        return {0, std::numeric_limits<double>::quiet_NaN(),
                std::numeric_limits<double>::quiet_NaN()};
    return {all.count, all.sum / static_cast<double>(all.count), all.largest};
}

} // namespace systole
