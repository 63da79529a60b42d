#include "compute/core/error.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/smooth.h"
#include "compute/surface/mean_place.h"
#include "compute/surface/nonlocal_means.h"

#include <algorithm>
#include <cmath>

namespace systole {

void keepMeanPlace(VolumeView<const float> before, VolumeView<float> after, Vec3 spacing,
                   const MeanPlaceParameters& parameters, const ExecContext& ctx) {
    if (before.size != after.size)
        throw ComputeError("a surface before and after denoising have one size");
    const ScopedSpan span(ctx.profile, "mean place", "mean place");
    const auto side = static_cast<float>(nlm::meanVoxelSide(spacing));
    const float tau = static_cast<float>(parameters.tau) * side;
    const float delta = static_cast<float>(parameters.delta) * side;
    Buffer<float> weights = ctx.pool->acquire<float>(after.voxels(), "weights of the mean place");
    Buffer<float> shifts = ctx.pool->acquire<float>(after.voxels(), "shifts of the mean place");
    const VolumeView<float> weight(weights.data(), after.size), shift(shifts.data(), after.size);
    const Vec3 sigma{parameters.sigma, parameters.sigma, parameters.sigma};
    constexpr float least = 1e-6f; // of a weight: too far from all surfaces
    overVoxels(after.size, ctx, [&](int x, int y, int z) {
        const std::size_t i = after.offset(x, y, z);
        weight.data[i] = std::max(0.0f, 1 - std::abs(after.data[i]) / tau);
        shift.data[i] = weight.data[i] * (before.data[i] - after.data[i]);
    });
    smoothGaussian(weight, weight, sigma, ctx);
    smoothGaussian(shift, shift, sigma, ctx);
    overVoxels(after.size, ctx, [&](int x, int y, int z) {
        const std::size_t i = after.offset(x, y, z);
        if (std::abs(after.data[i]) <= delta && weight.data[i] > least)
            after.data[i] += shift.data[i] / weight.data[i];
    });
}

} // namespace systole
