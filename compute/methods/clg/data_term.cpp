#include "compute/methods/clg/data_term.h"

#include "compute/methods/clg/balance.h"
#include "compute/methods/clg/gain_field.h"
#include "compute/methods/clg/gradient_constancy.h"
#include "compute/ops/over_voxels.h"

namespace systole::clg {

double treatBrightness(const ClgParameters& p, const Warp& w, double brightness,
                       const ExecContext& ctx) {
    const LevelBuffers& b = w.b;
    const auto voxels = static_cast<double>(b.size().voxels());
    const BrightnessFrames frames{b.fixed, b.warped, b.inside, b.grid.scale()};
    // Edges that are a voxel apart look like a change of brightness on the finest level until a
    // warp has brought them together.
    if ((p.matchesBrightness() || p.fitsGain()) && (b.level > 0 || w.index > 0 || brightness > 0)) {
        const ScopedSpan span(ctx.profile, "warp", "match brightness", 3 * voxels, 4 * voxels);
        brightness = (p.fitsGain() ? findBrightness : matchBrightness)(
            frames, b.level > 0 ? coarseShares : finestShares, brightness, b.brightness, ctx);
    }
    if (p.fitsGain()) {
        const ScopedSpan span(ctx.profile, "warp", "gain field", 28 * voxels, 100 * voxels);
        fitGain(frames, tensorEpsilon(p, b, b.fixed, ctx), b.gain, ctx);
    }
    if (p.mapsGrayValues()) {
        const ScopedSpan span(ctx.profile, "warp", "map gray values", 28 * voxels, 40 * voxels);
        mapGrayValues(b.fixed, b.inside, b.warped, b.mappedFixed, *b.grayMap, ctx);
        brightness = 1;
    }
    return brightness;
}

float tensorEpsilon(const ClgParameters& p, const LevelBuffers& b, VolumeView<const float> fixed,
                    const ExecContext& ctx) {
    if (!p.normalized)
        return -1;
    return 1 + (p.adaptive ? static_cast<float>(meanSquaredResidual(fixed, b.warped, b.inside, ctx))
                           : 0);
}

void compareGradients(const GradientComparison& of, const std::array<VolumeView<float>, 9>& product,
                      const ExecContext& ctx) {
    const LevelBuffers& b = of.b;
    const auto voxels = static_cast<double>(b.size().voxels());
    const ScopedSpan span(ctx.profile, "gradient", "gradient constancy", 128 * voxels,
                          200 * voxels);
    const auto [sum, difference] = b.gradientFrames;
    const VolumeView<const float> compared = b.compared();
    overRows(b.size(), ctx, [&](int y, int z) {
        const float *const fixed = compared.row(y, z), *const warped = b.warped.row(y, z);
        for (int x = 0; x < b.size().x; ++x) {
            sum.row(y, z)[x] = fixed[x] + warped[x];
            difference.row(y, z)[x] = warped[x] - fixed[x];
        }
    });
    const TapsOfAxes taps = tapsOfAxes(b.grid.alongAxes(comparedGradientWidth));
    for (const VolumeView<float>& frame : b.gradientFrames)
        of.form.smooth(frame, taps, ctx);
    addGradientConstancy({compared, b.warped, sum, difference, b.inside, b.grid.scale(),
                          gradientShare(of.p.gradientConstancy, of.prefilter),
                          of.p.usesRootWeights() ? of.epsilon : -1},
                         product, ctx);
}

} // namespace systole::clg
