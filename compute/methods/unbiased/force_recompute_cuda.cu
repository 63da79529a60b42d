// `recompute` and `recompute-capped`: five planes of displacements with a halo of two voxels in
// shared memory march along z, as in the paper; its kernel is not capped or capped at 35 registers.
#include "compute/methods/unbiased/force_planes.cuh"

namespace systole::unbiased {
namespace {

constexpr int planesKept = 2 * halo + 1;

using Ring = DisplacementPlanes<planesKept>;

/// Blocks that a multiprocessor must have registers for: where it has fewer threads than they need
/// (Turing), as many as fit.
constexpr int blocksThatFit(int wanted) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    constexpr int threads = 1024;
#else
    constexpr int threads = 2048;
#endif
    return wanted * maxForceThreads <= threads ? wanted : threads / maxForceThreads;
}

template <int MinBlocks>
__global__ void __launch_bounds__(maxForceThreads, blocksThatFit(MinBlocks))
    forceRecompute(const __grid_constant__ ForceStep s, int planes) {
    gpu::waitForKernelBefore();
    if (isIdle(s))
        return;
    extern __shared__ float displacements[];
    const FieldView<const float> w = motionOf(s);
    const Size3 size = w.size;
    const gpu::Column c = gpu::columnOf(size, planes);
    const Ring ring{displacements, cellsOfPlane(static_cast<int>(blockDim.y))};
    const int cell = Ring::cellOf(static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y));
    for (int z = c.begin - halo; z < c.begin + halo; ++z)
        ring.fill(w, z);
    double2 total{0, 0};
    for (int z = c.begin; z < c.end; ++z) {
        __syncthreads(); // all have read the plane that is replaced
        ring.fill(w, z + halo);
        __syncthreads();
        if (!c.inGrid)
            continue;
        const int position[3] = {c.x, c.y, z};
        float factor[3];
        TransposedDifference t[3];
#pragma unroll
        for (int j = 0; j < 3; ++j) {
            factor[j] = differenceFactor(position[j], size[j]);
            t[j] = transposedDifference(position[j], size[j]);
        }
        const Flux here(ring.deformation(cell, z, factor));
        const float at[3] = {ring.of(0, z)[cell], ring.of(1, z)[cell], ring.of(2, z)[cell]};
        const DataTerm data = dataTermAt(s, at, c.x, c.y, z);
        const auto fluxAt = [&](int axis, int side) {
            float there[3] = {factor[0], factor[1], factor[2]};
            there[axis] = differenceFactor(position[axis] + side, size[axis]);
            const int beside = axis == 0 ? side : axis == 1 ? side * Ring::pitch : 0;
            return Flux(ring.deformation(cell + beside, axis == 2 ? z + side : z, there));
        };
        const Vector force = forceOfFluxes(t, here, data.force, s.rule.lambda, fluxAt);
        writeForce(s, c.x, c.y, z, here.m, force);
        addEnergy(total, s, data.energy, here);
    }
    conclude(s, total);
}

std::size_t sharedFloats(int rows) {
    return static_cast<std::size_t>(3 * planesKept * cellsOfPlane(rows));
}

/// 7 fluxes from the 25 voxels that they have in common, besides the copies of cells.
constexpr KernelCost voxelCost =
    frameCost + 7 * fluxCost + KernelCost{.integer = 100, .sharedAccesses = 25 * 3, .barriers = 2};
constexpr KernelCost spills{.localAccesses = 202};

KernelCost cost(int rows) { return voxelCost + cellsOfPlane(rows) / (32.0 * rows) * cellCost; }
KernelCost capped(int rows) { return cost(rows) + spills; }

/// Cost of the loop in machine code, which also copies a thread's first cell.
CompiledCost compiled(const std::string& kernel) {
    return {kernel, "14forceRecomputeILi1E", "loop", "FFMA", voxelCost + cellCost};
}
CompiledCost compiledCapped(const std::string& kernel) {
    return {kernel, "14forceRecomputeILi4E", "loop", "FFMA", voxelCost + cellCost + spills};
}

} // namespace

const ForceKernel recomputeForce{forceRecompute<1>, cost, compiled, 32, 0, 0, sharedFloats};
// Four blocks of 512 threads leave a thread 32 registers.
const ForceKernel cappedForce{forceRecompute<4>, capped, compiledCapped, 32, 0, 0, sharedFloats};

} // namespace systole::unbiased
