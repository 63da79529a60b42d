#include "compute/methods/demons/force_cuda.cuh"

namespace systole::gpu {
namespace {

/// Planes that a thread marches through.
constexpr int planesOfThread = 8;

__device__ inline float sumAt(const DemonsForceStep& s, int x, int y, int z) {
    const std::size_t i =
        s.fixed.offset(min(max(x, 0), s.fixed.size.x - 1), min(max(y, 0), s.fixed.size.y - 1),
                       min(max(z, 0), s.fixed.size.z - 1));
    return s.fixed.data[i] + s.warped.data[i];
}

/// Writes the force of a voxel whose neighbors' sums differ by gx, gy, gz, and adds to `total`.
/// Many parameters because structs of three would leave the registers of the kernels around it.
__device__ inline void writeForce(const DemonsForceStep& s, int x, int y, int z, float gx, float gy,
                                  float gz, double2& total) {
    const std::size_t i = s.fixed.offset(x, y, z);
    DemonsForce force{0, 0, 0};
    if (demonsKnown(static_cast<float>(x) + s.motion.u[i], static_cast<float>(y) + s.motion.v[i],
                    static_cast<float>(z) + s.motion.w[i], s.fixed.size)) {
        const float difference = s.fixed.data[i] - s.warped.data[i];
        force = demonsForce(difference, gx, gy, gz, s.scale);
        total.x += static_cast<double>(difference) * difference;
        total.y += 1;
    }
    s.step.u[i] = force.u;
    s.step.v[i] = force.v;
    s.step.w[i] = force.w;
}

__device__ inline void finish(const DemonsForceStep& s, double2 total) {
    double2 all;
    if (gridSum(total, s.sum, all))
        *s.energy = all.y > 0 ? all.x / all.y : 0;
}

__global__ void __launch_bounds__(1024)
    forceDirect(const __grid_constant__ DemonsForceStep s, int planes) {
    const Column c = columnOf(s.fixed.size, planes);
    double2 total{0, 0};
    if (c.inGrid)
        for (int z = c.begin; z < c.end; ++z)
            writeForce(s, c.x, c.y, z, sumAt(s, c.x + 1, c.y, z) - sumAt(s, c.x - 1, c.y, z),
                       sumAt(s, c.x, c.y + 1, z) - sumAt(s, c.x, c.y - 1, z),
                       sumAt(s, c.x, c.y, z + 1) - sumAt(s, c.x, c.y, z - 1), total);
    finish(s, total);
}

/// The sums of a plane with their halo are in shared memory, those above and below in registers.
__global__ void __launch_bounds__(1024)
    forceShared(const __grid_constant__ DemonsForceStep s, int planes) {
    extern __shared__ float tile[];
    constexpr int pitch = tileX + 2;
    const int rows = static_cast<int>(blockDim.y);
    const Column c = columnOf(s.fixed.size, planes);
    const int firstX = static_cast<int>(blockIdx.x) * tileX - 1,
              firstY = static_cast<int>(blockIdx.y) * rows - 1;
    const int thread = static_cast<int>(threadIdx.x + tileX * threadIdx.y);
    const float* const here =
        tile + (static_cast<int>(threadIdx.y) + 1) * pitch + static_cast<int>(threadIdx.x) + 1;
    float below = sumAt(s, c.x, c.y, c.begin - 1);
    double2 total{0, 0};
    for (int z = c.begin; z < c.end; ++z) {
        __syncthreads();
        for (int cell = thread; cell < pitch * (rows + 2); cell += tileX * rows)
            tile[cell] = sumAt(s, firstX + cell % pitch, firstY + cell / pitch, z);
        __syncthreads();
        const float above = sumAt(s, c.x, c.y, z + 1), center = *here;
        if (c.inGrid)
            writeForce(s, c.x, c.y, z, here[1] - here[-1], here[pitch] - here[-pitch],
                       above - below, total);
        // The first plane is repeated below itself: sumAt() clamps.
        below = center;
    }
    finish(s, total);
}

// Per voxel: the force's arithmetic (21 products and sums, one division), its motion and both
// frames there, three stores; the neighbors as a variant reads them.
constexpr KernelCost forceCost{.add = 6,
                               .multiply = 16,
                               .fusedMultiplyAdd = 4,
                               .divide = 1,
                               .integer = 60,
                               .globalLoads = 5,
                               .globalStores = 3};

KernelCost directCost(int) {
    return forceCost + KernelCost{.add = 9, .integer = 70, .globalLoads = 12};
}
KernelCost sharedCost(int rows) {
    const double cells = (tileX + 2) * (rows + 2) / (static_cast<double>(tileX) * rows);
    return forceCost + KernelCost{.add = 4 + cells,
                                  .integer = 20 + 30 * cells,
                                  .globalLoads = 2 + 2 * cells,
                                  .sharedAccesses = 5 + cells,
                                  .barriers = 2};
}

struct ForceKernel {
    void (*kernel)(DemonsForceStep, int planes);
    KernelCost (*cost)(int rows);
    bool tile;
};
constexpr ForceKernel forceKernels[] = {{forceDirect, directCost, false},
                                        {forceShared, sharedCost, true}};
static_assert(std::size(forceKernels) == std::size(demonsForceVariants));

} // namespace

void demonsForces(int variant, const DemonsForceStep& step, LaunchLog& log) {
    const ForceKernel& kernel = forceKernels[variant];
    const Size3 size = step.fixed.size;
    const auto voxels = static_cast<double>(size.voxels());
    const int rows = rowsOfBlock(log, demonsForceFamily, variant);
    LaunchShape shape = columnsOver(size, planesFor(size, planesOfThread), rows);
    if (kernel.tile)
        shape.sharedBytes = sizeof(float) * static_cast<std::size_t>((tileX + 2) * (rows + 2));
    log.launch({demonsForceFamily.kernel(variant), 32 * voxels, 40 * voxels,
                perThread(shape, voxels, kernel.cost(rows))},
               kernel.kernel, shape, step, planesFor(size, planesOfThread));
}

std::size_t demonsForceBlocks(Size3 size) {
    // Blocks of one row and one plane give the maximum number of blocks.
    return blocksOf(columnsOver(size, 1, 1));
}

} // namespace systole::gpu
