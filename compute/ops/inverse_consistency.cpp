#include "compute/ops/inverse_consistency.h"

#include "compute/core/points.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/sample_at.h"
#include "compute/ops/two_grids.h"

#include <algorithm>
#include <limits>

namespace systole {
namespace {

/// Whether a position lies among the voxel centers, so that the field is interpolated; half a voxel
/// around a single plane.
bool isAmongCenters(Vec3 position, Size3 size) {
    for (int axis = 0; axis < 3; ++axis) {
        const double margin = size[axis] > 1 ? 0 : 0.5;
        if (!(position[axis] >= -margin && position[axis] <= size[axis] - 1 + margin))
            return false;
    }
    return true;
}

} // namespace

ConsistencyReport inverseConsistency(const VectorField& forward, const VectorField& back,
                                     VolumeView<const float> mask, const ExecContext& ctx) {
    struct Sums {
        std::size_t count = 0;
        double sum = 0, largest = 0;
        void operator+=(const Sums& other) {
            count += other.count;
            sum += other.sum;
            largest = std::max(largest, other.largest);
        }
    };
    const FieldView<const float> there = forward.view();
    const Geometry &fixed = forward.geometry, &moving = back.geometry;
    const AffineMap toMoving = indexAffine(fixed, moving);
    const auto add = [&](Sums& plane, int x, int y, int z) {
        if (!mask.empty() && !(mask(x, y, z) > 0))
            return;
        const Vec3 start = voxelPoint(x, y, z);
        const Vec3 reached =
            toMoving(start + vectorOf(there, there.componentView(0).offset(x, y, z)));
        if (!isAmongCenters(reached, moving.size()))
            return;
        const double error =
            length(moving.indexToPhysical(reached + vectorAt(back.view(), reached)) -
                   fixed.indexToPhysical(start));
        plane += {1, error, error};
    };
    const Sums all = sumOverVoxels(there.size, ctx, Sums{}, add);
    if (all.count == 0)
        return {0, std::numeric_limits<double>::quiet_NaN(),
                std::numeric_limits<double>::quiet_NaN()};
    return {all.count, all.sum / static_cast<double>(all.count), all.largest};
}

} // namespace systole
