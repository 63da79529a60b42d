#include "compute/cardiac/axis_strain_cuda.cuh"
#include "compute/cardiac/axis_strain_device.cuh"

namespace systole::gpu {
namespace {

using namespace cardiac;

__global__ void __launch_bounds__(1024)
    strainDirect(const __grid_constant__ AxisStrain s, int planes) {
    const Column c = columnOf(s.motion.size, planes);
    if (c.inGrid)
        for (int z = c.begin; z < c.end; ++z)
            writeStrain(s, s.jacobian.offset(c.x, c.y, z), fieldGradient(s.motion, c.x, c.y, z));
}

KernelCost directCost(int) { return strainCost + KernelCost{.integer = 40, .globalLoads = 18}; }

} // namespace

const StrainKernel strainOfVoxel{strainDirect, directCost};

void launchAxisStrain(const StrainKernel& kernel, const KernelFamily& family, int variant,
                      const AxisStrain& work, LaunchLog& log) {
    const Size3 size = work.motion.size;
    const auto voxels = static_cast<double>(size.voxels());
    const int rows = rowsOfBlock(log, family, variant), planes = planesFor(size, kernel.planes);
    LaunchShape shape = columnsOver(size, planes, rows);
    if (kernel.tileWidth > 0)
        shape.sharedBytes =
            3 * sizeof(float) * static_cast<std::size_t>(kernel.tileWidth * (rows + 2));
    // Motion and axes read, J and three strains written.
    log.launch({family.kernel(variant), 4 * (3 + 6 + 1 + 3) * voxels, 130 * voxels,
                perThread(shape, voxels, kernel.cost(rows))},
               kernel.kernel, shape, work, planes);
}

void axisStrain(const AxisStrain& work, LaunchLog& log) {
    launchAxisStrain(strainOfVoxel, axisStrainKernel, 0, work, log);
}

} // namespace systole::gpu

namespace systole {

void cardiac::axisStrainOnDevice(const AxisStrain& work, const ExecContext& ctx) {
    checkAxisStrain(work);
    loggedCall(ctx, "strain", [&](LaunchLog& log) { gpu::axisStrain(work, log); });
}

} // namespace systole
