#include "app/registration/two_grids.h"

#include "compute/core/error.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/sample.h"

namespace systole {

void warpThroughSpace(const Volume& moving, const VectorField& field, VolumeView<float> out,
                      const ExecContext& ctx) {
    const Geometry &to = moving.geometry, &from = field.geometry;
    const FieldView<const float> d = field.view();
    const float* const voxels = moving.voxels.data();
    // One grid: no position is rounded on its way through space.
    const bool same = to.matches(from);
    overVoxels(from.size(), ctx, [&](int x, int y, int z) {
        const std::size_t here = out.offset(x, y, z);
        Vec3 p{static_cast<double>(x) + static_cast<double>(d.u[here]),
               static_cast<double>(y) + static_cast<double>(d.v[here]),
               static_cast<double>(z) + static_cast<double>(d.w[here])};
        if (!same)
            p = to.physicalToIndex(from.indexToPhysical(p));
        out.data[here] = TrilinearSample(to.size(), static_cast<float>(p.x),
                                         static_cast<float>(p.y), static_cast<float>(p.z))
                             .of(voxels);
    });
}

std::shared_ptr<const Volume> onGrid(const std::shared_ptr<const Volume>& image,
                                     const Geometry& grid, const ExecContext& ctx) {
    if (image->geometry.matches(grid))
        return image;
    const Geometry& own = image->geometry;
    auto resampled = std::make_shared<Volume>(grid, *ctx.pool, "resampled image");
    resampled->timeSeconds = image->timeSeconds;
    VolumeView<float> out = resampled->view();
    const double common = sumOverVoxels(grid.size(), ctx, [&](int x, int y, int z) {
        const Vec3 p = own.physicalToIndex(grid.indexToPhysical(
            {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)}));
        const auto px = static_cast<float>(p.x), py = static_cast<float>(p.y),
                   pz = static_cast<float>(p.z);
        out(x, y, z) = TrilinearSample(own.size(), px, py, pz).of(image->voxels.data());
        return static_cast<double>(insideWeight(px, py, pz, own.size()));
    });
    if (!(common > 0))
        throw ComputeError("the two images have no point of space in common");
    return resampled;
}

} // namespace systole
