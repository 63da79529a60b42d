// `recompute` and `recompute-capped`: five planes of displacements with a halo of two voxels in
// shared memory march along z, as in the paper; its kernel is not capped or capped at 35 registers.
#include "compute/methods/unbiased/force_device.cuh"

namespace systole::unbiased {
namespace {

constexpr int halo = 2, pitch = gpu::tileX + 2 * halo, planesKept = 2 * halo + 1;

constexpr int cellsOfPlane(int rows) { return pitch * (rows + 2 * halo); }

/// The ring of planes: component, plane, row.
struct Ring {
    float* values;
    int plane; ///< cells of a plane

    __device__ float* of(int component, int z) const {
        const int slot = (z + planesKept) % planesKept;
        return values + (component * planesKept + slot) * plane;
    }
    /// Copies a plane of the grid, or the nearest one, with its halo.
    __device__ void fill(const FieldView<const float>& w, int z) const {
        const int threads = static_cast<int>(blockDim.x * blockDim.y);
        const int x0 = static_cast<int>(blockIdx.x * blockDim.x) - halo,
                  y0 = static_cast<int>(blockIdx.y * blockDim.y) - halo;
        for (int cell = static_cast<int>(threadIdx.x + blockDim.x * threadIdx.y); cell < plane;
             cell += threads) {
            const std::size_t i = w.componentView(0).offset(
                clampedIndex(x0 + cell % pitch, w.size.x),
                clampedIndex(y0 + cell / pitch, w.size.y), clampedIndex(z, w.size.z));
#pragma unroll
            for (int k = 0; k < 3; ++k)
                of(k, z)[cell] = w.component(k)[i];
        }
    }
    /// M of the voxel at `cell` of plane z. Beyond the border the nearest voxel is repeated, so
    /// that differences are one-sided there.
    __device__ Deformation deformation(int cell, int z, const float (&factor)[3]) const {
        Deformation d{};
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            const float* const here = of(i, z) + cell;
            d.m[i][0] = factor[0] * (here[1] - here[-1]);
            d.m[i][1] = factor[1] * (here[pitch] - here[-pitch]);
            d.m[i][2] = factor[2] * (of(i, z + 1)[cell] - of(i, z - 1)[cell]);
            d.m[i][i] += 1;
        }
        return d;
    }
};

/// Blocks that a multiprocessor must have registers for: where it has fewer threads than they need
/// (Turing), as many as fit.
constexpr int leastBlocks(int wanted) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    constexpr int threads = 1024;
#else
    constexpr int threads = 2048;
#endif
    return wanted * mostForceThreads <= threads ? wanted : threads / mostForceThreads;
}

template <int LeastBlocks>
__global__ void __launch_bounds__(mostForceThreads, leastBlocks(LeastBlocks))
    forceRecompute(const __grid_constant__ ForceStep s, int planes) {
    if (isIdle(s))
        return;
    extern __shared__ float displacements[];
    const FieldView<const float> w = motionOf(s);
    const Size3 size = w.size;
    const gpu::Column c = gpu::columnOf(size, planes);
    const Ring ring{displacements, cellsOfPlane(static_cast<int>(blockDim.y))};
    const int cell =
        (static_cast<int>(threadIdx.y) + halo) * pitch + static_cast<int>(threadIdx.x) + halo;
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
        Vector force{};
#pragma unroll
        for (int j = 0; j < 3; ++j)
#pragma unroll
            for (int i = 0; i < 3; ++i)
                force.v[i] += t[j].here * here.along(i, j);
        const int strides[2] = {1, pitch};
#pragma unroll
        for (int j = 0; j < 3; ++j)
#pragma unroll
            for (int side = -1; side <= 1; side += 2) {
                float there[3] = {factor[0], factor[1], factor[2]};
                there[j] = differenceFactor(position[j] + side, size[j]);
                const Flux flux(j < 2 ? ring.deformation(cell + side * strides[j], z, there)
                                      : ring.deformation(cell, z + side, there));
                const float weight = side < 0 ? t[j].behind : t[j].ahead;
#pragma unroll
                for (int i = 0; i < 3; ++i)
                    force.v[i] += weight * flux.along(i, j);
            }
        const float at[3] = {ring.of(0, z)[cell], ring.of(1, z)[cell], ring.of(2, z)[cell]};
        const DataTerm data = dataTermAt(s.frames, at, c.x, c.y, z);
#pragma unroll
        for (int i = 0; i < 3; ++i)
            force.v[i] = data.force.v[i] + s.rule.lambda * force.v[i];
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

/// With the copy of a thread's first cell.
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
