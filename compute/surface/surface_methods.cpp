#include "compute/surface/surface_methods.h"

#include "compute/surface/mean_place.h"
#include "compute/surface/nonlocal_means.h"
#include "compute/surface/nonlocal_means_math.h"
#include "compute/surface/redistance.h"

#include <algorithm>

namespace systole {
namespace {

void nonlocalMeans(VolumeView<float> phi, const Geometry& geometry, const ParamSet& values,
                   const ExecContext& ctx) {
    const auto parameters = NonlocalMeansParameters::from(values);
    const Vec3 spacing = geometry.spacing();
    Buffer<float> noisy = ctx.pool->acquire<float>(phi.voxels(), "distance before denoising");
    std::ranges::copy(phi.span(), noisy.data());
    // The next round reads the patches of its band, nothing beyond.
    const auto band = static_cast<float>((parameters.delta + 2 * parameters.patchRadius + 1) *
                                         nlm::meanVoxelSide(spacing));
    denoiseSurface(phi, spacing, parameters, ctx,
                   [&](VolumeView<float> drifted) { redistance(drifted, spacing, band, ctx); });
    keepMeanPlace({noisy.data(), phi.size}, phi, spacing,
                  MeanPlaceParameters::around(parameters.delta, parameters.patchRadius), ctx);
}

} // namespace

const std::vector<SurfaceMethod>& surfaceMethods() {
    static const ParamTable none({});
    // Add a method: one line.
    static const std::vector<SurfaceMethod> methods{
        {"nonlocal", "non-local means, similar patches of the whole surface", &nonlocalMeansTable(),
         "default", nonlocalMeans},
        {"semi-local", "the same among patches nearby, several times faster", &nonlocalMeansTable(),
         "live", nonlocalMeans},
        {"none", "the surface as it is", &none, "", {}},
    };
    return methods;
}

} // namespace systole
