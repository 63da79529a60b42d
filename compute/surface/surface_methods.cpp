#include "compute/surface/surface_methods.h"

#include "compute/surface/nonlocal_surface.h"

namespace systole {
namespace {

DenoiseReport nonlocalMeans(VolumeView<float> phi, const Geometry& geometry, const ParamSet& values,
                            const ExecContext& ctx) {
    return denoiseNonlocally(phi, geometry.spacing(), NonlocalMeansParameters::from(values), ctx);
}

} // namespace

const std::vector<SurfaceMethod>& surfaceMethods() {
    static const ParamTable none({});
    static const std::vector<Backend> all{Backend::Cpu, Backend::CpuReference, Backend::Cuda};
    // Add a method: one line.
    static const std::vector<SurfaceMethod> methods{
        {"nonlocal", "non-local means, similar patches of the whole surface", &nonlocalMeansTable(),
         "default", all, nonlocalMeans},
        {"semi-local", "the same among patches nearby, several times faster", &nonlocalMeansTable(),
         "live", all, nonlocalMeans},
        {"none", "the surface as it is", &none, "", {Backend::Cpu}, {}},
    };
    return methods;
}

} // namespace systole
