#include "app/features/registration/displacement.h"

#include "app/features/registration/level_factor.h"
#include "compute/ops/bspline_box.h"
#include "compute/ops/bspline_field.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/resample.h"
#include "compute/ops/sample.h"
#include "compute/ops/two_grids.h"

#include <algorithm>
#include <array>

namespace systole {
namespace {

/// A field of a level of half the voxels is sampled at half the distance from the middle, and twice
/// as long.
void sampleLevel(FieldView<const float> level, Size3 full, const VoxelBox& box,
                 FieldView<float> field, const ExecContext& ctx) {
    const std::array<int, 3> factors = levelFactors(full, level.size);
    const float by[3] = {static_cast<float>(factors[0]), static_cast<float>(factors[1]),
                         static_cast<float>(factors[2])};
    const auto place = [&](int axis, int voxel) {
        return static_cast<float>(voxel) / by[axis] +
               resamplingShift(level.size[axis], 1 / by[axis], full[axis]);
    };
    parallelFor(ctx, box.size.y * box.size.z, 8, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int row = begin; row < end; ++row) {
            const int y = row % box.size.y, z = row / box.size.y;
            for (int x = 0; x < box.size.x; ++x) {
                const TrilinearSample sample(level.size, place(0, box.x + x), place(1, box.y + y),
                                             place(2, box.z + z));
                for (int axis = 0; axis < 3; ++axis)
                    field.componentView(axis)(x, y, z) =
                        by[axis] * sample.of(level.component(axis));
            }
        }
    });
}

void append(const AffineMap& map, const Geometry& fixed, const VoxelBox& box,
            FieldView<float> field, const ExecContext& ctx) {
    const AffineMap inVoxels = indexAffine(fixed, fixed, map);
    overVoxels(box.size, ctx, [&](int x, int y, int z) {
        const std::size_t i = field.componentView(0).offset(x, y, z);
        const Vec3 at{static_cast<double>(box.x + x), static_cast<double>(box.y + y),
                      static_cast<double>(box.z + z)};
        const Vec3 moved =
            at + Vec3{static_cast<double>(field.u[i]), static_cast<double>(field.v[i]),
                      static_cast<double>(field.w[i])};
        const Vec3 displacement = inVoxels(moved) - at;
        for (int axis = 0; axis < 3; ++axis)
            field.component(axis)[i] = static_cast<float>(displacement[axis]);
    });
}

} // namespace

void displacementIn(const RegistrationIterate* iterate, const Geometry& fixed, const VoxelBox& box,
                    FieldView<float> field, const ExecContext& ctx) {
    if (!iterate) {
        std::fill_n(field.u, 3 * field.size.voxels(), 0.0f);
        return;
    }
    if (iterate->isSpline && box.size == fixed.size())
        return bsplineField(iterate->points(), field, ctx); // plane by plane, in SIMD
    if (iterate->isSpline)
        return bsplineFieldInBox(iterate->points(), box, field, ctx);
    sampleLevel(iterate->view(), fixed.size(), box, field, ctx);
    if (iterate->following)
        append(*iterate->following, fixed, box, field, ctx);
}

std::shared_ptr<const VectorField> denseField(const RegistrationIterate* iterate,
                                              const Geometry& fixed, const ExecContext& ctx) {
    auto field = std::make_shared<VectorField>(fixed, *ctx.pool, "motion of a registration");
    displacementIn(iterate, fixed, VoxelBox::whole(fixed.size()), field->view(), ctx);
    return field;
}

} // namespace systole
