#include "compute/methods/unbiased/force_device.cuh"

namespace systole::unbiased {
namespace {

__global__ void __launch_bounds__(mostForceThreads)
    forceGlobal(const __grid_constant__ ForceStep s, int planes) {
    if (isIdle(s))
        return;
    const FieldView<const float> w = motionOf(s);
    const gpu::Column c = gpu::columnOf(w.size, planes);
    double2 total{0, 0};
    if (c.inGrid)
        for (int z = c.begin; z < c.end; ++z) {
            const DataTerm data = dataTerm(s.frames.fixed, s.frames.moving, w, c.x, c.y, z);
            Vector force = regularizerForce(w, c.x, c.y, z, NaturalLogarithm{});
            for (int i = 0; i < 3; ++i)
                force.v[i] = data.force.v[i] + s.rule.lambda * force.v[i];
            const Flux here(deformationAt(w, c.x, c.y, z));
            writeForce(s, c.x, c.y, z, here.m, force);
            addEnergy(total, s, data.energy, here);
        }
    conclude(s, total);
}

constexpr KernelCost loadedFlux = fluxCost + KernelCost{.globalLoads = 18};

KernelCost cost(int) { return frameCost + 7 * loadedFlux + KernelCost{.integer = 200}; }

/// Along an axis the fluxes of three voxels, of which inside two count.
CompiledCost compiled(const std::string& kernel) {
    return {kernel + " flux", "11forceGlobalE", "innermost", "MUFU", loadedFlux};
}

} // namespace

const ForceKernel globalForce{forceGlobal, cost, compiled, 1, 0, 0, nullptr};

} // namespace systole::unbiased
