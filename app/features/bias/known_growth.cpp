#include "app/features/bias/known_growth.h"

#include "compute/ops/jacobian.h"
#include "compute/ops/resample.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// Relative growth of a length in the middle of the image.
constexpr double stretch = 0.1;
/// Reach of the growth: the standard deviation of a Gaussian, as a fraction of the image's shortest
/// side.
constexpr double reach = 1.0 / 6;

} // namespace

KnownGrowth::KnownGrowth(const Volume& image, const ExecContext& ctx)
    : smaller(image.geometry, *ctx.pool, "image before it grew")
    , region(image.geometry, *ctx.pool, "what grows") {
    const Size3 size = image.geometry.size();
    const Vec3 spacing = image.geometry.spacing();
    const double sigma =
        reach * std::min({size.x * spacing.x, size.y * spacing.y, size.z * spacing.z});
    VectorField motion(image.geometry, *ctx.pool, "known growth");
    const FieldView<float> field = motion.view();
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const Vec3 off{x - 0.5 * (size.x - 1), y - 0.5 * (size.y - 1),
                               z - 0.5 * (size.z - 1)};
                const double far =
                    std::hypot(off.x * spacing.x, off.y * spacing.y, off.z * spacing.z) / sigma;
                const double part = stretch * std::exp(-0.5 * far * far);
                const std::size_t i = region.view().offset(x, y, z);
                field.u[i] = static_cast<float>(part * off.x);
                field.v[i] = static_cast<float>(part * off.y);
                field.w[i] = static_cast<float>(part * off.z);
                region.voxels.data()[i] = far < 1 ? 1.0f : 0.0f;
            }
    warpVolume(image.view(), motion.view(), smaller.view(), {}, ctx);
    logarithm = volumeChange(motion.view(), region.view(), ctx).meanLogarithm;
}

} // namespace systole
