// `reuse`: all threads of a block copy each plane of displacements into shared memory.
#include "compute/methods/unbiased/force_march.cuh"

namespace systole::unbiased {
namespace {

constexpr int planesKept = 3;

struct CopiedPlanes : DisplacementPlanes<planesKept> {
    __device__ void begin(const FieldView<const float>& w, int first, int) const {
        fill(w, first);
        fill(w, first + 1);
    }
    __device__ void bring(const FieldView<const float>& w, int z) const { fill(w, z); }
};

__global__ void __launch_bounds__(maxForceThreads)
    forceReuse(const __grid_constant__ ForceStep s, int planes) {
    gpu::waitForKernelBefore();
    if (isIdle(s))
        return;
    extern __shared__ float shared[];
    CopiedPlanes ring{{shared, cellsOfPlane(static_cast<int>(blockDim.y))}};
    marchForce(s, planes, ring, shared + 3 * planesKept * ring.plane);
}

std::size_t sharedFloats(int rows) {
    return static_cast<std::size_t>(3 * planesKept * cellsOfPlane(rows) + fluxFloats(rows));
}

KernelCost cost(int rows) {
    return marchedVoxelCost + cellsOfPlane(rows) / (32.0 * rows) * cellCost + edgeCost(rows);
}

/// Cost of the loop in machine code, which also copies a thread's first cell.
CompiledCost compiled(const std::string& kernel) {
    return {kernel, "10forceReuseE", "loop", "FFMA", marchedVoxelCost + cellCost};
}

} // namespace

const ForceKernel reuseForce{forceReuse, cost, compiled, 32, 0, 0, sharedFloats};

} // namespace systole::unbiased
