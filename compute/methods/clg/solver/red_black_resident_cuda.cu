#include "compute/cuda/early_launch.cuh"
#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/clg/solver/inverted_block.cuh"
#include "compute/methods/clg/solver/red_black_cuda.cuh"

#include <algorithm>
#include <cooperative_groups.h>

namespace systole::clg {
namespace {

constexpr int resident = redBlackFamily.named("resident");
constexpr int maxBlocks = 16; ///< blocks per cluster, on any device

#if __CUDA_ARCH__ >= 900
__device__ inline unsigned blocksOfCluster() {
    return cooperative_groups::this_cluster().num_blocks();
}
__device__ inline unsigned rankInCluster() {
    return cooperative_groups::this_cluster().block_rank();
}
template <typename T>
__device__ inline T* ofBlock(T* own, unsigned rank) {
    return cooperative_groups::this_cluster().map_shared_rank(own, rank);
}
__device__ inline void waitForCluster() { cooperative_groups::this_cluster().sync(); }
#else // a cluster is one block
__device__ inline unsigned blocksOfCluster() { return 1; }
__device__ inline unsigned rankInCluster() { return 0; }
template <typename T>
__device__ inline T* ofBlock(T* own, unsigned) {
    return own;
}
__device__ inline void waitForCluster() { __syncthreads(); }
#endif

/// Values that a thread keeps for one voxel.
struct Resident {
    float inverse[6];  ///< inverse of its block
    float constant[3]; ///< the contribution of b alone
    int cell = -1;     ///< index in the share; negative: no voxel
    int left, right;   ///< cells of the x-neighbors
    int color = -1;
    unsigned neighbors; ///< bit 2·axis + side: whether there is one behind (0), ahead (1)
};

template <typename View>
__device__ inline void settle(Resident& r, const View& s, Voxel p) {
    float block[9];
    invertBlock(s, p, block);
    for (int k = 0; k < 6; ++k)
        r.inverse[k] = block[k];
    for (int k = 0; k < 3; ++k)
        r.constant[k] = block[6 + k];
    r.color = colorOf(p, View::divergence ? 4 : 2);
    r.neighbors = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (int side = 0; side < 2; ++side)
            r.neighbors |= (exists(s.size(), p, axis, 2 * side - 1) ? 1u : 0u) << (2 * axis + side);
}

/// Adds the divergence to the voxel's right-hand side `rest`, from the block's share of the field
/// and, behind it, of the weight (`weighted`).
template <typename View>
__device__ inline void addDivergenceOfShare(const View& s, const Resident& r, const float* field,
                                            int cells, const int (&step)[3][2], bool weighted,
                                            float (&rest)[3]) {
    const auto has = [&](int axis, int side) {
        return ((r.neighbors >> (2 * axis + side)) & 1u) != 0;
    };
    const float* const weight = field + 3 * cells;
    const float own = weighted ? weight[r.cell] : 1;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        const float scale = s.scale[static_cast<std::size_t>(k)];
#pragma unroll
        for (int side = 0; side < 2; ++side) {
            // Beyond the grid this voxel stands for its neighbor, without its own values, which are
            // part of its block: the cells around the grid are zero.
            const bool there = has(k, side);
            const int q = there ? r.cell + step[k][side] : r.cell;
            const float at = weighted ? weight[q] : 1;
            float mixed = 0;
#pragma unroll
            for (int l = 0; l < 3; ++l) {
                if (l == k)
                    continue;
                const float* const f = field + l * cells + q;
                mixed += s.scale[static_cast<std::size_t>(l)] *
                         (f[there && !has(l, 1) ? 0 : step[l][1]] -
                          f[there && !has(l, 0) ? 0 : step[l][0]]);
            }
            const float sign = (side == 1) == there ? 0.25f : -0.25f;
            const float straight = 0.5f * scale * (own + at) * field[k * cells + q];
            rest[k] += s.beta * scale * (sign * at * mixed + (there ? straight : 0));
        }
    }
}

/// Runs all sweeps. A thread has two voxels beside each other; between colors the cluster waits,
/// and all its threads reach the same decision from the same changes. Long because a thread's
/// voxels stay in its registers over all sweeps. Many parameters because a launch on a cluster
/// takes each by its address.
template <typename View>
__global__ void __launch_bounds__(gpu::maxThreads, 1)
    relaxInCluster(const View view, Planes<float> t, float omega, int sweeps, double tolerance,
                   int depth, const int* stop, DeviceState* state) {
    extern __shared__ float field[];
    __shared__ unsigned blockChange;
    __shared__ unsigned changes[2][maxBlocks];
    if (stop && *stop)
        return;
    const unsigned blocks = blocksOfCluster(), rank = rankInCluster();
    const View s = view.loaded();
    const Size3 size = s.size();
    const Share share{size, depth};
    const int row = share.row(), plane = share.plane();
    const int cells = share.cells();
    const int firstZ = depth * static_cast<int>(rank);
    for (int cell = static_cast<int>(threadIdx.x); cell < cells;
         cell += static_cast<int>(blockDim.x)) {
        const int column = cell % row, half = share.halfRow();
        const Voxel p{(column < half ? 2 * column : 2 * (column - half) + 1) - 1,
                      cell / row % (size.y + 2) - 1, firstZ - 1 + cell / plane};
        const bool inside =
            p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x < size.x && p.y < size.y && p.z < size.z;
        for (int k = 0; k < 3; ++k)
            field[k * cells + cell] = inside ? t.plane[k][offset(size, p)] : 0;
        if (View::divergence && s.weight)
            field[3 * cells + cell] = inside ? s.weight[offset(size, p)] : 0;
    }
    const auto voxelOf = [&](int parity) {
        const int half = (size.x + 1) / 2, thread = static_cast<int>(threadIdx.x);
        const int y = thread / half % size.y, z = thread / half / size.y;
        return Voxel{2 * (thread % half) + ((y + z + firstZ + parity) & 1), y, firstZ + z};
    };
    Resident voxels[2];
#pragma unroll
    for (int parity = 0; parity < 2; ++parity) {
        const Voxel p = voxelOf(parity);
        if (p.x >= size.x || p.z >= size.z || p.z >= firstZ + depth)
            continue;
        settle(voxels[parity], s, p);
        const int start = row * (p.y + 1) + plane * (p.z - firstZ + 1);
        voxels[parity].cell = start + share.column(p.x);
        voxels[parity].left = start + share.column(p.x - 1);
        voxels[parity].right = start + share.column(p.x + 1);
    }
    const float wx = s.smoothness[0], wy = s.smoothness[1], wz = s.smoothness[2];
    SweepsOfLaunch course{sweeps, tolerance};
    waitForCluster();
    while (course.next()) {
        const bool measured = course.measures();
        float largest = 0;
        const auto relax = [&](const Resident& r) {
            float sum[3], value[3];
            for (int k = 0; k < 3; ++k) {
                const float* const f = field + k * cells;
                sum[k] = wx * (f[r.left] + f[r.right]) + wy * (f[r.cell - row] + f[r.cell + row]) +
                         wz * (f[r.cell - plane] + f[r.cell + plane]);
                value[k] = f[r.cell];
            }
            if constexpr (View::divergence) {
                const int step[3][2] = {
                    {r.left - r.cell, r.right - r.cell}, {-row, row}, {-plane, plane}};
                addDivergenceOfShare(s, r, field, cells, step, s.weight != nullptr, sum);
            }
            constexpr int index[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
            for (int k = 0; k < 3; ++k) {
                const float solved = r.constant[k] + r.inverse[index[k][0]] * sum[0] +
                                     r.inverse[index[k][1]] * sum[1] +
                                     r.inverse[index[k][2]] * sum[2];
                const float step = omega * (solved - value[k]);
                value[k] += step;
                largest = fmaxf(largest, fabsf(step));
            }
            float* const here = field + r.cell;
            for (int k = 0; k < 3; ++k)
                here[k * cells] = value[k];
            if (r.cell < 2 * plane && rank > 0) {
                float* const below = ofBlock(here, rank - 1) + depth * plane;
                for (int k = 0; k < 3; ++k)
                    below[k * cells] = value[k];
            }
            if (r.cell >= depth * plane && rank + 1 < blocks) {
                float* const above = ofBlock(here, rank + 1) - depth * plane;
                for (int k = 0; k < 3; ++k)
                    above[k * cells] = value[k];
            }
        };
        constexpr int colors = View::divergence ? 4 : 2;
        for (int color = 0; color < colors; ++color) {
#pragma unroll
            for (int parity = 0; parity < 2; ++parity)
                if (voxels[parity].color == color)
                    relax(voxels[parity]);
            if (color + 1 == colors && measured) {
                gatherChange(largest, blockChange);
                if (threadIdx.x < blocks)
                    *ofBlock(&changes[course.sweep % 2][rank], threadIdx.x) = blockChange;
            }
            waitForCluster();
        }
        if (measured) {
            unsigned bits = 0;
            for (unsigned block = 0; block < blocks; ++block)
                bits = max(bits, changes[course.sweep % 2][block]);
            course.take(__uint_as_float(bits));
        }
    }
#pragma unroll
    for (int parity = 0; parity < 2; ++parity)
        if (voxels[parity].cell >= 0)
            for (int k = 0; k < 3; ++k)
                t.plane[k][offset(size, voxelOf(parity))] = field[k * cells + voxels[parity].cell];
    if (rank == 0 && threadIdx.x == 0)
        course.write(*state);
}

/// Cost of two voxels in one sweep on the chip.
KernelCost sweepCost(bool beta) {
    KernelCost c;
    if (beta) {
        c.add = 90;
        c.multiply = 70;
        c.fusedMultiplyAdd = 90;
        c.sharedAccesses = 2 * (21 + 24 + 6 + 3);
        c.barriers = 4;
        c.integer = 500;
        return c;
    }
    c.add = 30;
    c.multiply = 12;
    c.fusedMultiplyAdd = 32;
    c.sharedAccesses = 2 * (21 + 3);
    c.barriers = 2;
    c.integer = 150;
    return c;
}

/// Cost of the same thread's work before, two blocks inverted and its share of the field's cells
/// loaded, and after: both voxels written.
KernelCost setupCost(double cells) {
    KernelCost c;
    c.globalLoads = 2 * 9 + 3 * cells;
    c.globalStores = 2 * 3;
    c.sharedAccesses = 3 * cells + 2 * 3;
    c.add = 20;
    c.multiply = 44;
    c.fusedMultiplyAdd = 72;
    c.divide = 2;
    c.integer = 400 + 30 * cells;
    return c;
}

/// Allows large clusters whose blocks have so much shared memory: set for all contexts of the
/// process, which may be launching it, so the most of any size.
template <typename Kernel>
void allowClusters(Kernel kernel, std::size_t sharedBytes) {
    cudaCheck(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(sharedBytes)),
              "allowing shared memory");
    cudaCheck(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
              "allowing large clusters");
}

constexpr std::size_t maxShared = 200 << 10; ///< bytes of shared memory that a block requests

/// Limits of this device's clusters. Code for older devices has no clusters.
ClusterLimits clusterLimits(const CudaContext& cuda) {
    ClusterLimits limits;
    if (!gpu::waitsForKernelBefore(cuda.device().computeCapability))
        return limits;
    int shared = 0;
    cudaCheck(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                     cuda.device().index),
              "asking for the shared memory of a block");
    const std::size_t offered = std::min(maxShared, static_cast<std::size_t>(shared));
    const auto kernel = relaxInCluster<
        SystemView<FloatCoefficients<Load::Cached>, false, DivergenceStencil::Energy>>;
    allowClusters(kernel, offered);
    cudaLaunchConfig_t largest{};
    largest.gridDim = dim3(maxBlocks);
    largest.blockDim = dim3(static_cast<unsigned>(limits.threads));
    largest.dynamicSmemBytes = offered;
    int blocks = 0;
    cudaCheck(cudaOccupancyMaxPotentialClusterSize(&blocks, kernel, &largest),
              "asking for the size of a cluster");
    if (blocks > 1) {
        limits.blocks = std::min(blocks, maxBlocks);
        limits.sharedBytes = offered;
    }
    return limits;
}

} // namespace

bool ResidentRelaxation::fits(const CudaContext& cuda, Size3 size) {
    return residentDepth(size, clusterLimits(cuda)) > 0;
}

ResidentRelaxation::ResidentRelaxation(CudaContext& cuda, Size3 size)
    : size_(size), limits_(clusterLimits(cuda)), depth_(residentDepth(size, limits_)) {}

void ResidentRelaxation::solve(const DeviceSystem& system, const HalfTensor& half,
                               const Planes<float>& t, const SolveOptions& options, const int* stop,
                               LaunchLog& log) {
    // Counts everything once.
    KernelNote note{redBlackFamily.kernel(resident) + (system.beta > 0 ? " beta" : ""),
                    (coefficientBytes(half) + 24) * static_cast<double>(size_.voxels())};
    const auto omega = static_cast<float>(options.omega);
    const int blocks = (size_.z + depth_ - 1) / depth_;
    // A thread has two voxels: the level sets how many threads are needed; more would be idle.
    const Share share{size_, depth_};
    const int needed = (share.threads() + 31) / 32 * 32;
    const int threads = gpu::threadsOfBlock(log, note.kernel, needed);
    if (threads < needed)
        throw ComputeError(note.kernel + " needs blocks of " + std::to_string(needed) +
                           " threads at this size, not " + std::to_string(threads));
    // Assumes that the tolerance needs all sweeps: only the device knows how many it takes.
    note.cost = static_cast<double>(options.sweeps) * sweepCost(system.beta > 0) +
                setupCost(static_cast<double>(share.cells()) / threads);
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = static_cast<unsigned>(blocks);
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = dim3(static_cast<unsigned>(blocks));
    configuration.blockDim = dim3(static_cast<unsigned>(threads));
    configuration.dynamicSmemBytes = share.bytes(system.incompressibility ? 4 : 3);
    configuration.stream = log.stream();
    configuration.attrs = &attribute;
    configuration.numAttrs = blocks > 1 ? 1 : 0;
    const auto launch = [&](auto view) {
        const auto kernel = relaxInCluster<decltype(view)>;
        if (blocks > 1)
            allowClusters(kernel, limits_.sharedBytes);
        log.begin(note, reinterpret_cast<const void*>(kernel),
                  {configuration.gridDim, configuration.blockDim, configuration.dynamicSmemBytes});
        cudaCheck(cudaLaunchKernelEx(&configuration, kernel, view, t, omega, options.sweeps,
                                     options.tolerance, depth_, stop, system.state),
                  note.kernel.c_str());
        log.end();
    };
    constexpr auto energy = DivergenceStencil::Energy;
    if (system.beta > 0)
        withCoefficients<Load::Cached, true, energy>(system, half, launch);
    else
        withCoefficients<Load::Cached, false, energy>(system, half, launch);
}

CompiledCost ResidentRelaxation::compiledCost() {
    // The cluster waits between the colors, and its blocks exchange their changes.
    return {redBlackFamily.kernel(resident),
            std::string("relaxInCluster.*") + mangledView(DivergenceStencil::Energy, false),
            "loop",
            "FMUL",
            sweepCost(false),
            {"LDG", "STG", "LDS+STS", "MUFU", "BAR"}};
}

} // namespace systole::clg
