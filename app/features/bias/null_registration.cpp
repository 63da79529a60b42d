#include "app/features/bias/null_registration.h"

#include "compute/core/motion_start.h"
#include "compute/core/random.h"
#include "compute/ops/jacobian.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole {
namespace {

constexpr std::uint32_t noiseStream = 11; ///< random numbers that nothing else uses

double meanLength(FieldView<const float> field) {
    double sum = 0;
    for (std::size_t i = 0; i < field.size.voxels(); ++i)
        sum += std::hypot(static_cast<double>(field.u[i]), static_cast<double>(field.v[i]),
                          static_cast<double>(field.w[i]));
    return sum / static_cast<double>(field.size.voxels());
}

double meanOf(double sum, std::size_t count) {
    return count > 0 ? sum / static_cast<double>(count) : 0;
}

} // namespace

NoisyCopies::NoisyCopies(const Volume& fixedImage, const Volume& movingImage, double deviation,
                         std::uint64_t seed, const ExecContext& ctx)
    : fixed(fixedImage.geometry, *ctx.pool, "fixed image with noise")
    , moving(movingImage.geometry, *ctx.pool, "moving image with noise") {
    const Size3 size = fixedImage.geometry.size();
    const float *const cleanFixed = fixedImage.voxels.data(), *const cleanMoving =
                                                                  movingImage.voxels.data();
    parallelFor(ctx, size.z, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        const VolumeView<const float> view = fixedImage.view();
        for (std::size_t i = view.offset(0, 0, begin); i < view.offset(0, 0, end); ++i) {
            const auto [one, other] = normalPair(randomBits(seed, noiseStream, i));
            fixed.voxels.data()[i] = static_cast<float>(static_cast<double>(cleanFixed[i]) +
                                                        deviation * static_cast<double>(one));
            moving.voxels.data()[i] = static_cast<float>(static_cast<double>(cleanMoving[i]) +
                                                         deviation * static_cast<double>(other));
        }
    });
}

void NullSeries::add(const NullFigures& figures) {
    volume_.push_back(figures.volume);
    region_.push_back(figures.region);
    spreads_ += figures.spread;
    displacements_ += figures.displacement;
}

double NullSeries::spread() const { return meanOf(spreads_, count()); }
double NullSeries::displacement() const { return meanOf(displacements_, count()); }

NullRegistration::NullRegistration(const MotionMethod& method, Backend backend,
                                   const Geometry& grid, BufferPool& pool)
    : backend_(std::ranges::find(method.backends, backend) != method.backends.end() ? backend
                                                                                    : Backend::Cpu)
    , estimator_(method.make(ParamSet(*method.parameters, "default"), backend_))
    , field_(grid, pool, "motion of noise alone") {}

NullFigures NullRegistration::run(const NoisyCopies& copies, const IntensityScale& scale,
                                  VolumeView<const float> region, const ExecContext& base) {
    ExecContext ctx = base;
    ctx.backend = backend_;
    setToRest(field_);
    estimator_->estimate(motionInput(copies.fixed, copies.moving, scale), field_.view(), ctx);
    const VolumeChange all = volumeChange(field_.view(), {}, ctx);
    return {all.meanLogarithm,
            region.empty() ? std::numeric_limits<double>::quiet_NaN()
                           : volumeChange(field_.view(), region, ctx).meanLogarithm,
            all.spreadLogarithm, meanLength(field_.view())};
}

double noiseDeviation(double share, const IntensityScale& scale) {
    return share * static_cast<double>(scale.high - scale.low);
}

} // namespace systole
