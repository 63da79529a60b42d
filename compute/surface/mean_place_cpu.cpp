#include "compute/core/error.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/smooth.h"
#include "compute/surface/mean_place_math.h"

namespace systole {

void keepMeanPlace(VolumeView<const float> before, VolumeView<float> after, Vec3 spacing,
                   const MeanPlaceParameters& parameters, const ExecContext& ctx) {
    if (before.size != after.size)
        throw ComputeError("a surface before and after denoising have one size");
    const ScopedSpan span(ctx.profile, "mean place", "mean place");
    const meanplace::Scale scale(parameters, spacing);
    Buffer<float> weights = ctx.pool->acquire<float>(after.voxels(), "weights of the mean place");
    Buffer<float> shifts = ctx.pool->acquire<float>(after.voxels(), "shifts of the mean place");
    const VolumeView<float> weight(weights.data(), after.size), shift(shifts.data(), after.size);
    const Vec3 sigma{parameters.sigma, parameters.sigma, parameters.sigma};
    overVoxels(after.size, ctx, [&](int x, int y, int z) {
        const std::size_t i = after.offset(x, y, z);
        weight.data[i] = meanplace::weight(scale, after.data[i]);
        shift.data[i] = weight.data[i] * (before.data[i] - after.data[i]);
    });
    smoothGaussian(weight, weight, sigma, ctx);
    smoothGaussian(shift, shift, sigma, ctx);
    overVoxels(after.size, ctx, [&](int x, int y, int z) {
        const std::size_t i = after.offset(x, y, z);
        after.data[i] += meanplace::given(scale, after.data[i], shift.data[i], weight.data[i]);
    });
}

} // namespace systole
