#include "compute/core/error.h"
#include "compute/core/median.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/resample.h"
#include "compute/surface/mean_in_time.h"
#include "compute/surface/narrow_band.h"
#include "compute/surface/nonlocal_means.h"
#include "compute/surface/nonlocal_means_math.h"

#include <cmath>
#include <utility>

namespace systole {
namespace {

constexpr int chunk = 512; ///< elements per chunk

/// w_s, with `factor` q^|s−t| and `scale` 1 / (n h²).
float weightOf(float distance, float noise, float factor, float scale) {
    const float beyond = distance > noise ? distance - noise : 0.0f;
    return factor * std::exp(-beyond * scale);
}

/// ‖a[x] − b[x]‖² over the patches at the voxel p of two volumes of one size.
float patchDistance(Size3 size, const float* a, const float* b, Voxel p, int radius) {
    float sum = 0;
    for (int n = 0; n < nlm::patchNumbers(radius); ++n) {
        const int at = nlm::patchOffset(size, p, radius, n);
        sum = nlm::addSquare(sum, a[at], b[at]);
    }
    return sum;
}

} // namespace

MeanInTime::MeanInTime(VolumeView<const float> phi, Vec3 spacing,
                       const MeanInTimeParameters& parameters, const ExecContext& ctx)
    : phi_(phi), parameters_(parameters) {
    const double side = nlm::meanVoxelSide(spacing);
    const int radius = parameters.patchRadius, numbers = nlm::patchNumbers(radius);
    band_ = narrowBand(phi, static_cast<float>(parameters.delta * side), ctx);
    const double offset = parameters.offset * side;
    scale_ = 1 / (numbers * offset * offset);
    sums_.resize(band_.size());
    weights_.assign(band_.size(), 1);
    std::vector<double> rests(band_.size());
    overItems(band_.size(), chunk, ctx, [&](std::size_t e) {
        ctx.throwIfCancelled();
        const Voxel p = nlm::voxelAt(phi.size, band_.data()[e]);
        float f[nlm::features];
        nlm::featuresOf(
            radius, [&](int n) { return phi.data[nlm::patchOffset(phi.size, p, radius, n)]; }, f);
        rests[e] = double{f[nlm::features - 1] * f[nlm::features - 1]};
        sums_[e] = phi.data[band_.data()[e]];
    });
    // The noise of n numbers less the four coordinates taken out, in two patches.
    noise_ = 2 * median(std::move(rests)) * numbers / (numbers - 4);
}

void MeanInTime::add(VolumeView<const float> psi, int away, const ExecContext& ctx) {
    if (psi.size != phi_.size)
        throw ComputeError("the frames of a surface in time have one size");
    const auto factor = static_cast<float>(std::pow(parameters_.weight, away));
    overItems(band_.size(), chunk, ctx, [&](std::size_t e) {
        ctx.throwIfCancelled();
        const int at = band_.data()[e];
        const float distance = patchDistance(phi_.size, phi_.data, psi.data,
                                             nlm::voxelAt(phi_.size, at), parameters_.patchRadius);
        const float weight =
            weightOf(distance, static_cast<float>(noise_), factor, static_cast<float>(scale_));
        sums_[e] += weight * psi.data[at];
        weights_[e] += weight;
    });
}

void MeanInTime::finish(VolumeView<float> out, const ExecContext& ctx) const {
    overItems(band_.size(), chunk, ctx,
              [&](std::size_t e) { out.data[band_.data()[e]] = sums_[e] / weights_[e]; });
}

double MeanInTime::meanWeight() const {
    double sum = 0;
    for (const float weight : weights_)
        sum += static_cast<double>(weight) - 1;
    return sum / static_cast<double>(weights_.size());
}

void carryDistance(VolumeView<const float> phi, FieldView<const float> motion,
                   VolumeView<float> out, const ExecContext& ctx) {
    warpVolume(phi, motion, out, {}, ctx);
}

} // namespace systole
