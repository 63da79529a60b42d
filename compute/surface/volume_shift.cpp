#include "compute/surface/volume_shift.h"

#include "compute/surface/nonlocal_means.h"

#include <algorithm>

namespace systole {
namespace {

/// Voxels inside of phi + shift, in mean voxel sides.
double voxelsInside(VolumeView<const float> phi, float inverseSide, float shift,
                    const ExecContext& ctx) {
    const std::size_t plane = phi.voxels() / static_cast<std::size_t>(phi.size.z);
    return parallelSum(ctx, phi.size.z, 1, [&](int begin, int end) {
        double sum = 0;
        for (std::size_t i = static_cast<std::size_t>(begin) * plane;
             i < static_cast<std::size_t>(end) * plane; ++i)
            sum += static_cast<double>(
                std::clamp(0.5f - (phi.data[i] * inverseSide + shift), 0.0f, 1.0f));
        return sum;
    });
}

} // namespace

float volumeShift(VolumeView<const float> before, VolumeView<const float> after, Vec3 spacing,
                  const ExecContext& ctx) {
    const auto side = static_cast<float>(nlm::meanVoxelSide(spacing));
    const double wanted = voxelsInside(before, 1 / side, 0, ctx);
    constexpr int halvings = 16;
    float low = -0.5f, high = 0.5f; // a larger shift encloses less
    for (int step = 0; step < halvings; ++step) {
        ctx.throwIfCancelled();
        const float middle = 0.5f * (low + high);
        (voxelsInside(after, 1 / side, middle, ctx) > wanted ? low : high) = middle;
    }
    return 0.5f * (low + high) * side;
}

} // namespace systole
