#include "compute/methods/unbiased/force_device.cuh"

#include <algorithm>
#include <cmath>

namespace systole::unbiased {
namespace {

const ForceKernel* const forceKernels[] = {&globalForce, &recomputeForce, &cappedForce,
                                           &reuseForce,  &bulkForce,      &fusedForce};
static_assert(std::size(forceKernels) == std::size(forceVariants));

/// Planes of a thread, which shares fluxes between them: at least one for each 16 along an axis, up
/// to four, where volumes are too small for those that fill a device. Measured on an H100.
int planesOf(Size3 size, int maxPlanes) {
    const auto side = static_cast<int>(std::lround(std::cbrt(static_cast<double>(size.voxels()))));
    return std::max(gpu::planesFor(size, maxPlanes),
                    std::min(std::clamp(side / 16, 1, 4), maxPlanes));
}

/// A voxel's operations where each flux is computed once, as the paper counts them.
constexpr double flops = 158;

} // namespace

void enqueueForce(int variant, const ForceStep& step, LaunchLog& log) {
    const bool start = step.use == ForceUse::Start;
    const ForceKernel& kernel = start ? startForce : *forceKernels[variant];
    const Size3 size = step.out.size;
    const auto voxels = static_cast<double>(size.voxels());
    const int rows = gpu::rowsOfBlock(log, forceFamily, variant);
    const int planes = planesOf(size, kernel.planes);
    LaunchShape shape{
        dim3(static_cast<unsigned>(gpu::divideUp(size.x, gpu::tileX - kernel.haloLanes)),
             static_cast<unsigned>(gpu::divideUp(size.y, rows - kernel.haloRows)),
             static_cast<unsigned>(gpu::divideUp(size.z, planes))),
        dim3(gpu::tileX, static_cast<unsigned>(rows))};
    if (kernel.sharedFloats)
        shape.sharedBytes = sizeof(float) * kernel.sharedFloats(rows);
    ForceStep counted = step;
    counted.energyUnit = energyUnit(size.voxels());
    gpu::launchEarly(log,
                     {start ? "unbiased/force at the start" : forceFamily.kernel(variant),
                      32 * voxels, flops * voxels,
                      gpu::perThread(shape, voxels, kernel.cost(rows))},
                     kernel.kernel, shape, counted, planes);
}

std::size_t forceBlocks(Size3 size) {
    // One row, one plane and the narrowest warps.
    return static_cast<std::size_t>(gpu::divideUp(size.x, gpu::tileX - 2)) *
           static_cast<std::size_t>(size.y) * static_cast<std::size_t>(size.z);
}

std::vector<CompiledCost> compiledForceCosts() {
    std::vector<CompiledCost> all;
    for (int variant = 0; variant < forceFamily.count(); ++variant)
        all.push_back(forceKernels[variant]->compiled(forceFamily.kernel(variant)));
    return all;
}

} // namespace systole::unbiased
