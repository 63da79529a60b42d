#include "compute/methods/ffd/warp.h"
#include "compute/methods/ffd/warp_math.h"
#include "compute/methods/ffd/warp_rows.h"
#include "compute/ops/over_voxels.h"

namespace systole {
namespace {

MovingPosition positionAt(const MovingImage& moving, FieldView<const float> field, int x, int y,
                          int z) {
    const std::size_t i = field.componentView(0).offset(x, y, z);
    return movingPosition(moving.map, static_cast<float>(x) + field.u[i],
                          static_cast<float>(y) + field.v[i], static_cast<float>(z) + field.w[i]);
}

/// Calls body(y, z) for every row.
template <typename Body>
void overRows(Size3 size, const ExecContext& ctx, const Body& body) {
    parallelFor(ctx, size.z, 2, [&](int begin, int end) {
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; ++y)
                body(y, z);
    });
}

} // namespace

void warpMoving(const MovingImage& moving, FieldView<const float> field,
                VolumeView<const float> fixedMask, VolumeView<float> warped,
                VolumeView<float> weight, const ExecContext& ctx) {
    if (ctx.backend == Backend::CpuReference)
        return overVoxels(field.size, ctx, [&](int x, int y, int z) {
            const MovingPosition p = positionAt(moving, field, x, y, z);
            const TrilinearSample there(moving.image.size, p.x, p.y, p.z);
            warped(x, y, z) = there.of(moving.image.data);
            weight(x, y, z) = insideWeight(p.x, p.y, p.z, moving.image.size) *
                              (moving.mask.empty() ? 1 : there.of(moving.mask.data)) *
                              (fixedMask.empty() ? 1 : fixedMask(x, y, z));
        });
    overRows(field.size, ctx, [&](int y, int z) {
        const std::size_t i = warped.offset(0, y, z);
        rows::warpMapped(
            moving.image, moving.mask, moving.map, static_cast<float>(y), static_cast<float>(z),
            field.u + i, field.v + i, field.w + i, field.size.x,
            {warped.data + i, weight.data + i, fixedMask.empty() ? nullptr : fixedMask.data + i});
    });
}

void warpForces(const MovingImage& moving, FieldView<const float> field,
                VolumeView<const float> derivative, FieldView<float> force,
                const ExecContext& ctx) {
    if (ctx.backend == Backend::CpuReference)
        return overVoxels(field.size, ctx, [&](int x, int y, int z) {
            const TrilinearGradient g(moving.image.data, moving.image.size,
                                      positionAt(moving, field, x, y, z));
            const std::size_t i = derivative.offset(x, y, z);
            for (int axis = 0; axis < 3; ++axis)
                force.component(axis)[i] =
                    derivative.data[i] * moving.map.transposedRow(axis, g.x, g.y, g.z);
        });
    overRows(field.size, ctx, [&](int y, int z) {
        const std::size_t i = derivative.offset(0, y, z);
        float* const out[3] = {force.u + i, force.v + i, force.w + i};
        rows::forceMapped(moving.image, moving.map, static_cast<float>(y), static_cast<float>(z),
                          field.u + i, field.v + i, field.w + i, derivative.data + i, field.size.x,
                          out);
    });
}

} // namespace systole
