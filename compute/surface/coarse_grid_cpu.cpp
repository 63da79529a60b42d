#include "compute/ops/over_voxels.h"
#include "compute/ops/smooth.h"
#include "compute/surface/coarse_grid_math.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// out(x) = sample(in, place of x).
template <typename Sample>
void resample(VolumeView<const float> in, const coarsegrid::Places& places, VolumeView<float> out,
              const Sample& sample, const ExecContext& ctx) {
    overVoxels(out.size, ctx, [&](int x, int y, int z) {
        out.data[out.offset(x, y, z)] = sample(in.data, in.size, places.of(x, y, z));
    });
}

} // namespace

CoarseGrid CoarseGrid::of(Size3 fine, Vec3 spacing, double side) {
    constexpr double sigmaOfSpacing = 0.35;
    CoarseGrid grid{fine, fine, spacing, {}};
    const double wanted = side * std::min({spacing.x, spacing.y, spacing.z});
    int* const sizes[] = {&grid.size.x, &grid.size.y, &grid.size.z};
    for (int axis = 0; axis < 3; ++axis) {
        const double ratio = wanted / spacing[axis];
        if (ratio <= 1 || fine[axis] == 1)
            continue;
        *sizes[axis] = static_cast<int>(std::ceil((fine[axis] - 1) / ratio)) + 1;
        grid.spacing[axis] = wanted;
        grid.sigma[axis] = sigmaOfSpacing * ratio;
        grid.ratio[static_cast<std::size_t>(axis)] = static_cast<float>(ratio);
    }
    return grid;
}

void coarsen(VolumeView<const float> fine, const CoarseGrid& grid, VolumeView<float> smooth,
             VolumeView<float> asItIs, const ExecContext& ctx) {
    const ScopedSpan span(ctx.profile, "grid", "coarser grid");
    Buffer<float> smoothed = ctx.pool->acquire<float>(fine.voxels(), "smoothed distance");
    smoothGaussian(fine, {smoothed.data(), fine.size}, grid.sigma, ctx);
    const auto places = coarsegrid::Places::toFine(grid);
    resample({smoothed.data(), fine.size}, places, smooth, coarsegrid::trilinear, ctx);
    resample(fine, places, asItIs, coarsegrid::trilinear, ctx);
}

void refine(VolumeView<const float> coarse, const CoarseGrid& grid, float shift,
            VolumeView<float> fine, const ExecContext& ctx) {
    const ScopedSpan span(ctx.profile, "grid", "finer grid");
    const auto sample = [shift](const float* data, Size3 size, Position p) {
        return coarsegrid::cubic(data, size, p) + shift;
    };
    resample(coarse, coarsegrid::Places::toCoarse(grid), fine, sample, ctx);
}

} // namespace systole
