#include "compute/cardiac/axis_strain_cuda.cuh"
#include "compute/cardiac/axis_strain_math.h"
#include "compute/cuda/kernel_support.cuh"

namespace systole::gpu {
namespace {

using namespace cardiac;

/// Planes that a thread marches through.
constexpr int planesOfThread = 8;

/// Where there is no radial axis there is no other one either.
__device__ inline void writeStrain(const AxisStrain& s, std::size_t i, const FieldGradient& g) {
    const float r[3] = {s.radial.u[i], s.radial.v[i], s.radial.w[i]};
    float l[3] = {0, 0, 0};
    if (isAxis(r))
        for (int k = 0; k < 3; ++k)
            l[k] = s.longitudinal.component(k)[i];
    const VoxelStrain strain = voxelStrain(g, l, r, s.scale, s.tensor);
    s.jacobian.data[i] = strain.jacobian;
    for (int k = 0; k < 3; ++k)
        s.strain.component(k)[i] = strain.along[k];
}

__global__ void __launch_bounds__(1024)
    strainDirect(const __grid_constant__ AxisStrain s, int planes) {
    const Column c = columnOf(s.motion.size, planes);
    if (c.inGrid)
        for (int z = c.begin; z < c.end; ++z)
            writeStrain(s, s.jacobian.offset(c.x, c.y, z), fieldGradient(s.motion, c.x, c.y, z));
}

/// The motion of a column behind a plane, in it and ahead of it.
struct Along {
    float behind[3], here[3], ahead[3];

    __device__ Along(const AxisStrain& s, std::size_t first, int z) {
        const std::size_t plane = planeOf(s);
        for (int k = 0; k < 3; ++k) {
            const float* const w = s.motion.component(k) + first;
            here[k] = w[0];
            behind[k] = z > 0 ? w[-static_cast<std::ptrdiff_t>(plane)] : here[k];
        }
    }
    static __device__ std::size_t planeOf(const AxisStrain& s) {
        return static_cast<std::size_t>(s.motion.size.x) *
               static_cast<std::size_t>(s.motion.size.y);
    }
    __device__ void load(const AxisStrain& s, std::size_t i, int z) {
        const bool last = z + 1 == s.motion.size.z;
        for (int k = 0; k < 3; ++k)
            ahead[k] = last ? here[k] : s.motion.component(k)[i + planeOf(s)];
    }
    __device__ void step() {
        for (int k = 0; k < 3; ++k) {
            behind[k] = here[k];
            here[k] = ahead[k];
        }
    }
};

__global__ void __launch_bounds__(1024)
    strainMarch(const __grid_constant__ AxisStrain s, int planes) {
    const Size3 size = s.motion.size;
    const Column c = columnOf(size, planes);
    if (!c.inGrid)
        return;
    const float factorX = differenceFactor(c.x, size.x), factorY = differenceFactor(c.y, size.y);
    const int left = c.x > 0 ? -1 : 0, right = c.x + 1 < size.x ? 1 : 0,
              below = c.y > 0 ? -size.x : 0, above = c.y + 1 < size.y ? size.x : 0;
    std::size_t i = s.jacobian.offset(c.x, c.y, c.begin);
    Along along(s, i, c.begin);
    for (int z = c.begin; z < c.end; ++z, i += Along::planeOf(s)) {
        along.load(s, i, z);
        const float factorZ = differenceFactor(z, size.z);
        FieldGradient g;
        for (int k = 0; k < 3; ++k) {
            const float* const w = s.motion.component(k) + i;
            g.m[k][0] = factorX * (w[right] - w[left]);
            g.m[k][1] = factorY * (w[above] - w[below]);
            g.m[k][2] = factorZ * (along.ahead[k] - along.behind[k]);
        }
        writeStrain(s, i, g);
        along.step();
    }
}

constexpr int pitch = tileX + 2;

/// Threads beyond the grid's edge help to load; the tile repeats the grid's border.
__global__ void __launch_bounds__(1024)
    strainShared(const __grid_constant__ AxisStrain s, int planes) {
    extern __shared__ float tile[];
    const Size3 size = s.motion.size;
    const int rows = static_cast<int>(blockDim.y), cells = pitch * (rows + 2);
    const Column c = columnOf(size, planes);
    const int firstX = static_cast<int>(blockIdx.x) * tileX - 1,
              firstY = static_cast<int>(blockIdx.y) * rows - 1;
    const int thread = static_cast<int>(threadIdx.x + tileX * threadIdx.y);
    const float* const own =
        tile + (static_cast<int>(threadIdx.y) + 1) * pitch + static_cast<int>(threadIdx.x) + 1;
    const float factorX = differenceFactor(c.x, size.x), factorY = differenceFactor(c.y, size.y);
    const int x = min(c.x, size.x - 1), y = min(c.y, size.y - 1);
    std::size_t i = s.jacobian.offset(x, y, c.begin);
    Along along(s, i, c.begin);
    for (int z = c.begin; z < c.end; ++z, i += Along::planeOf(s)) {
        __syncthreads();
        for (int cell = thread; cell < cells; cell += tileX * rows) {
            const std::size_t from =
                s.jacobian.offset(min(max(firstX + cell % pitch, 0), size.x - 1),
                                  min(max(firstY + cell / pitch, 0), size.y - 1), z);
            for (int k = 0; k < 3; ++k)
                tile[k * cells + cell] = s.motion.component(k)[from];
        }
        __syncthreads();
        along.load(s, i, z);
        const float factorZ = differenceFactor(z, size.z);
        FieldGradient g;
        for (int k = 0; k < 3; ++k) {
            const float* const w = own + k * cells;
            g.m[k][0] = factorX * (w[1] - w[-1]);
            g.m[k][1] = factorY * (w[pitch] - w[-pitch]);
            g.m[k][2] = factorZ * (along.ahead[k] - along.behind[k]);
        }
        if (c.inGrid)
            writeStrain(s, i, g);
        along.step();
    }
}

// Per voxel: F from nine differences (27 operations), its determinant, the third axis, F n and its
// square for three axes, the square roots; both axes are read and four values written. The motion
// as a variant reads it.
constexpr KernelCost strainCost{.add = 14 + 9,
                                .multiply = 22 + 6,
                                .fusedMultiplyAdd = 9 + 6 + 3 * 9,
                                .squareRoot = 3,
                                .integer = 40,
                                .globalLoads = 6,
                                .globalStores = 4};

KernelCost directCost(int) { return strainCost + KernelCost{.integer = 40, .globalLoads = 18}; }
KernelCost marchCost(int) { return strainCost + KernelCost{.integer = 20, .globalLoads = 12 + 3}; }
KernelCost sharedCost(int rows) {
    const double cells = pitch * (rows + 2) / (static_cast<double>(tileX) * rows);
    return strainCost + KernelCost{.integer = 20 + 30 * cells,
                                   .globalLoads = 3 + 3 * cells,
                                   .sharedAccesses = 12 + 3 * cells,
                                   .barriers = 2};
}

struct StrainKernel {
    void (*kernel)(AxisStrain, int planes);
    KernelCost (*cost)(int rows);
    int planes;
    bool tile;
};
constexpr StrainKernel strainKernels[] = {{strainDirect, directCost, 1, false},
                                          {strainMarch, marchCost, planesOfThread, false},
                                          {strainShared, sharedCost, planesOfThread, true}};
static_assert(std::size(strainKernels) == std::size(axisStrainVariants));

} // namespace

void axisStrain(int variant, const AxisStrain& work, LaunchLog& log) {
    const StrainKernel& kernel = strainKernels[variant];
    const Size3 size = work.motion.size;
    const auto voxels = static_cast<double>(size.voxels());
    const int rows = rowsOfBlock(log, axisStrainFamily, variant),
              planes = planesFor(size, kernel.planes);
    LaunchShape shape = columnsOver(size, planes, rows);
    if (kernel.tile)
        shape.sharedBytes = 3 * sizeof(float) * static_cast<std::size_t>(pitch * (rows + 2));
    // Motion and axes read, J and three strains written.
    log.launch({axisStrainFamily.kernel(variant), 4 * (3 + 6 + 1 + 3) * voxels, 130 * voxels,
                perThread(shape, voxels, kernel.cost(rows))},
               kernel.kernel, shape, work, planes);
}

} // namespace systole::gpu

namespace systole {

void cardiac::axisStrainOnDevice(const AxisStrain& work, const ExecContext& ctx, int variant) {
    checkAxisStrain(work);
    loggedCall(ctx, "strain", [&](LaunchLog& log) { gpu::axisStrain(variant, work, log); });
}

} // namespace systole
