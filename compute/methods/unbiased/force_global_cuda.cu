#include "compute/methods/unbiased/force_device.cuh"

namespace systole::unbiased {
namespace {

template <typename Sample>
__device__ inline void recomputed(const ForceStep& s, int planes, const Sample& movingSampleOf) {
    gpu::waitForKernelBefore();
    if (isIdle(s))
        return;
    const FieldView<const float> w = motionOf(s);
    const gpu::Column c = gpu::columnOf(w.size, planes);
    double2 total{0, 0};
    if (c.inGrid)
        for (int z = c.begin; z < c.end; ++z) {
            const std::size_t i = w.componentView(0).offset(c.x, c.y, z);
            const DataTerm data =
                dataTerm(movingSampleOf(s.frames.moving, displaced(w, i, c.x, c.y, z)),
                         s.frames.fixed.data[i], s.level->noise);
            const Flux here(deformationAt(w, c.x, c.y, z));
            writeForce(s, c.x, c.y, z, here.m,
                       forceAt(w, c.x, c.y, z, here, data.force, s.rule.lambda));
            addEnergy(total, s, data.energy, here);
        }
    conclude(s, total);
}

__global__ void __launch_bounds__(maxForceThreads)
    forceGlobal(const __grid_constant__ ForceStep s, int planes) {
    recomputed(s, planes,
               [](VolumeView<const float> moving, Position p) { return movingSample(moving, p); });
}

__global__ void __launch_bounds__(maxForceThreads)
    forceStart(const __grid_constant__ ForceStep s, int planes) {
    recomputed(s, planes, [](VolumeView<const float> moving, Position p) {
        return movingSampleBothSides(moving, p);
    });
}

constexpr KernelCost loadedFlux = fluxCost + KernelCost{.globalLoads = 18};

KernelCost cost(int) { return frameCost + 7 * loadedFlux + KernelCost{.integer = 200}; }

/// The innermost loop computes the fluxes of three voxels along an axis; inside the grid two of
/// them count.
CompiledCost compiled(const std::string& kernel) {
    return {kernel + " flux", "11forceGlobalE", "innermost", "MUFU", loadedFlux};
}

} // namespace

const ForceKernel globalForce{forceGlobal, cost, compiled, 1, 0, 0, nullptr};
const ForceKernel startForce{forceStart, cost, compiled, 1, 0, 0, nullptr};

} // namespace systole::unbiased
