#include "compute/methods/ffd/warp.h"
#include "compute/methods/ffd/warp_rows.h"
#include "compute/ops/over_voxels.h"

namespace systole {
namespace {

rows::MappedRow rowOf(const MovingImage& moving, FieldView<const float> field, int y, int z) {
    const std::size_t i = field.componentView(0).offset(0, y, z);
    return {moving.image,          moving.map,
            moving.noise,          static_cast<float>(y),
            static_cast<float>(z), {field.u + i, field.v + i, field.w + i},
            field.size.x};
}

MovingPosition positionAt(const MovingImage& moving, FieldView<const float> field, int x, int y,
                          int z) {
    const std::size_t i = field.componentView(0).offset(x, y, z);
    return movingPosition(moving.map, static_cast<float>(x) + field.u[i],
                          static_cast<float>(y) + field.v[i], static_cast<float>(z) + field.w[i]);
}

} // namespace

void warpMoving(const MovingImage& moving, FieldView<const float> field,
                VolumeView<const float> fixedMask, VolumeView<float> warped,
                VolumeView<float> weight, VolumeView<float> lost, const ExecContext& ctx) {
    const bool noisy = moving.noise > 0;
    if (ctx.backend == Backend::CpuReference)
        return overVoxels(field.size, ctx, [&](int x, int y, int z) {
            const MovingPosition p = positionAt(moving, field, x, y, z);
            const TrilinearSample there(moving.image.size, p.x, p.y, p.z);
            warped(x, y, z) = fusedSample(there, moving.image.data);
            weight(x, y, z) = insideWeight(p.x, p.y, p.z, moving.image.size) *
                              (moving.mask.empty() ? 1 : fusedSample(there, moving.mask.data)) *
                              (fixedMask.empty() ? 1 : fixedMask(x, y, z));
            if (noisy)
                lost(x, y, z) = moving.noise * NoiseLoss(there).share;
        });
    overRows(field.size, ctx, [&](int y, int z) {
        const std::size_t i = warped.offset(0, y, z);
        rows::warpMapped(rowOf(moving, field, y, z),
                         {moving.mask, fixedMask.empty() ? nullptr : fixedMask.data + i,
                          warped.data + i, weight.data + i, noisy ? lost.data + i : nullptr});
    });
}

void warpForces(const MovingImage& moving, FieldView<const float> field, const WarpDerivative& by,
                FieldView<float> force, const ExecContext& ctx) {
    if (ctx.backend == Backend::CpuReference)
        return overVoxels(field.size, ctx, [&](int x, int y, int z) {
            const std::size_t i = by.warped.offset(x, y, z);
            const WarpForce force3(moving, positionAt(moving, field, x, y, z), by, i);
            for (int axis = 0; axis < 3; ++axis)
                force.component(axis)[i] = force3.along(axis);
        });
    overRows(field.size, ctx, [&](int y, int z) {
        const std::size_t i = by.warped.offset(0, y, z);
        float* const out[3] = {force.u + i, force.v + i, force.w + i};
        rows::forceMapped(rowOf(moving, field, y, z), by.warped.data + i,
                          by.lost.empty() ? nullptr : by.lost.data + i, out);
    });
}

} // namespace systole
