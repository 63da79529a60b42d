#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/clg/solver/red_black_cuda.cuh"

#include <algorithm>
#include <cooperative_groups.h>

namespace systole::clg {
namespace {

constexpr int resident = redBlackFamily.named("resident");
constexpr int mostBlocks = 16; ///< blocks per cluster

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

/// The block's share of the field in shared memory: `depth` planes with a rim of one cell on every
/// side, the three components separate. Even and odd x of a row are separate too, so that adjacent
/// threads, which have voxels of one color, write adjacent cells, above all into a neighbor's
/// share. Cells beyond the grid are zero; the planes at either end are written by the neighbor.
struct Share {
    Size3 size;
    int depth;

    __host__ __device__ int halfRow() const { return (size.x + 3) / 2; }
    __host__ __device__ int row() const { return 2 * halfRow(); }
    /// x from −1 to size.x; the result is added to a row's start.
    __device__ int column(int x) const { return ((x + 1) & 1) * halfRow() + (x + 1) / 2; }
    __host__ __device__ int plane() const { return row() * (size.y + 2); }
    __host__ __device__ int cells() const { return plane() * (depth + 2); }
};

/// What a thread keeps for one voxel.
struct Resident {
    float inverse[6];  ///< inverse of its block
    float constant[3]; ///< the contribution of b alone
    int cell = -1;     ///< index in the share; negative: no voxel
    int left, right;   ///< cells of the x-neighbors
};

template <typename View>
__device__ inline void settle(Resident& r, const View& s, Voxel p) {
    const Size3 size = s.size();
    const std::size_t i = offset(size, p);
    float n = 0;
    for (int axis = 0; axis < 3; ++axis)
        n += s.smoothness[static_cast<std::size_t>(axis)] *
             static_cast<float>(exists(size, p, axis, -1) + exists(size, p, axis, 1));
    float j[6], b[3];
    for (std::size_t k = 0; k < 6; ++k)
        j[k] = coefficientAt(s, k, i);
    for (std::size_t k = 0; k < 3; ++k)
        b[k] = coefficientAt(s, 6 + k, i);
    const float nn[3] = {n, n, n};
    const std::array<float, 3> c0 = solveSymmetric<float>(j, nn, {1, 0, 0});
    const std::array<float, 3> c1 = solveSymmetric<float>(j, nn, {0, 1, 0});
    const std::array<float, 3> c2 = solveSymmetric<float>(j, nn, {0, 0, 1});
    r.inverse[0] = c0[0];
    r.inverse[1] = c0[1];
    r.inverse[2] = c0[2];
    r.inverse[3] = c1[1];
    r.inverse[4] = c1[2];
    r.inverse[5] = c2[2];
    for (std::size_t k = 0; k < 3; ++k)
        r.constant[k] = c0[k] * b[0] + c1[k] * b[1] + c2[k] * b[2];
}

/// Reduces the block's largest change into blockChange; called by all its threads.
__device__ inline void gatherChange(float change, unsigned& blockChange) {
    if (threadIdx.x == 0)
        blockChange = 0;
    __syncthreads();
    // The bits of non-negative floats are ordered as the floats are.
    unsigned bits = __float_as_uint(change);
    for (int lane = warpSize / 2; lane > 0; lane /= 2)
        bits = max(bits, __shfl_xor_sync(0xffffffffu, bits, lane));
    if (threadIdx.x % static_cast<unsigned>(warpSize) == 0)
        atomicMax(&blockChange, bits);
    __syncthreads();
}

/// Runs all sweeps. A thread has one voxel of each color; between half-sweeps the cluster waits,
/// and all its threads reach the same decision from the same changes.
template <typename View>
__global__ void __launch_bounds__(gpu::mostThreads, 1)
    relaxInCluster(const View view, Planes<float> t, float omega, int sweeps, double tolerance,
                   int depth, const int* stop, DeviceState* state) {
    extern __shared__ float field[];
    __shared__ unsigned blockChange;
    __shared__ unsigned changes[2][mostBlocks];
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
    }
    const auto voxelOf = [&](int color) {
        const int half = (size.x + 1) / 2, thread = static_cast<int>(threadIdx.x);
        const int y = thread / half % size.y, z = thread / half / size.y;
        return Voxel{2 * (thread % half) + ((y + z + firstZ + color) & 1), y, firstZ + z};
    };
    Resident voxels[2];
    for (int color = 0; color < 2; ++color) {
        const Voxel p = voxelOf(color);
        if (p.x >= size.x || p.z >= size.z || p.z >= firstZ + depth)
            continue;
        settle(voxels[color], s, p);
        const int start = row * (p.y + 1) + plane * (p.z - firstZ + 1);
        voxels[color].cell = start + share.column(p.x);
        voxels[color].left = start + share.column(p.x - 1);
        voxels[color].right = start + share.column(p.x + 1);
    }
    const float wx = s.smoothness[0], wy = s.smoothness[1], wz = s.smoothness[2];
    float change = 0, before = 0;
    bool done = false;
    int sweep = 0;
    waitForCluster();
    while (sweep < sweeps && !done) {
        ++sweep;
        // Measured in the sweeps that ConvergenceTest requests.
        const int phase = sweep % changeCheckInterval;
        const bool checks = tolerance > 0 && phase == 0;
        const bool measured =
            checks || sweep == sweeps || (tolerance > 0 && phase == changeCheckInterval - 1);
        float largest = 0;
        for (int color = 0; color < 2; ++color) {
            const Resident& r = voxels[color];
            if (r.cell >= 0) {
                float sum[3], value[3];
                for (int k = 0; k < 3; ++k) {
                    const float* const f = field + k * cells;
                    sum[k] = wx * (f[r.left] + f[r.right]) +
                             wy * (f[r.cell - row] + f[r.cell + row]) +
                             wz * (f[r.cell - plane] + f[r.cell + plane]);
                    value[k] = f[r.cell];
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
            }
            if (color == 1 && measured) {
                gatherChange(largest, blockChange);
                if (threadIdx.x < blocks)
                    *ofBlock(&changes[sweep % 2][rank], threadIdx.x) = blockChange;
            }
            waitForCluster();
        }
        if (measured) {
            unsigned bits = 0;
            for (unsigned block = 0; block < blocks; ++block)
                bits = max(bits, changes[sweep % 2][block]);
            before = change;
            change = __uint_as_float(bits);
            done = checks && converged(change, before, tolerance);
        }
    }
    for (int color = 0; color < 2; ++color)
        if (voxels[color].cell >= 0)
            for (int k = 0; k < 3; ++k)
                t.plane[k][offset(size, voxelOf(color))] = field[k * cells + voxels[color].cell];
    if (rank == 0 && threadIdx.x == 0) {
        state->done = done;
        state->sweepsOfSolve = sweep;
        state->sweeps += sweep;
        state->change = change;
        state->changeBefore = before;
        state->away = 0;
    }
}

/// Cost of two voxels, one of each color, in one sweep on the chip.
KernelCost sweepCost() {
    KernelCost c;
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

int pairsOfPlane(Size3 size) { return (size.x + 1) / 2 * size.y; }

std::size_t sharedBytes(Size3 size, int depth) {
    return 3 * sizeof(float) * static_cast<std::size_t>(Share{size, depth}.cells());
}

} // namespace

/// Uses the maximum number of blocks, since each has its own multiprocessor.
int ResidentRelaxation::depthFor(const CudaContext& cuda, Size3 size) {
    constexpr std::size_t mostShared = 200 << 10; // in clusters; a single block has less everywhere
    const int blocks = cuda.device().computeCapability >= 90 ? std::min(mostBlocks, size.z) : 1;
    const int depth = (size.z + blocks - 1) / blocks;
    const bool fits = depth * pairsOfPlane(size) <= gpu::mostThreads &&
                      sharedBytes(size, depth) <= (blocks > 1 ? mostShared : std::size_t{48 << 10});
    return fits ? depth : 0;
}

bool ResidentRelaxation::fits(const CudaContext& cuda, Size3 size) {
    return depthFor(cuda, size) > 0;
}

ResidentRelaxation::ResidentRelaxation(CudaContext& cuda, Size3 size)
    : size_(size), depth_(depthFor(cuda, size)) {}

void ResidentRelaxation::solve(const DeviceSystem& system, const HalfTensor& half,
                               const Planes<float>& t, const SolveOptions& options, const int* stop,
                               LaunchLog& log) {
    // Counts everything once.
    KernelNote note{redBlackFamily.kernel(resident),
                    (coefficientBytes(half) + 24) * static_cast<double>(size_.voxels())};
    const auto omega = static_cast<float>(options.omega);
    const int blocks = (size_.z + depth_ - 1) / depth_;
    // A thread has two voxels: the level sets how many threads are needed; more would be idle.
    const int needed = (depth_ * pairsOfPlane(size_) + 31) / 32 * 32;
    const int threads = gpu::threadsOfBlock(log, note.kernel, needed);
    if (threads < needed)
        throw ComputeError(note.kernel + " needs blocks of " + std::to_string(needed) +
                           " threads at this size, not " + std::to_string(threads));
    // Assumes that the tolerance needs all sweeps: only the device knows how many it takes.
    note.cost = static_cast<double>(options.sweeps) * sweepCost() +
                setupCost(static_cast<double>(Share{size_, depth_}.cells()) / threads);
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = static_cast<unsigned>(blocks);
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = dim3(static_cast<unsigned>(blocks));
    configuration.blockDim = dim3(static_cast<unsigned>(threads));
    configuration.dynamicSmemBytes = sharedBytes(size_, depth_);
    configuration.stream = log.stream();
    configuration.attrs = &attribute;
    configuration.numAttrs = blocks > 1 ? 1 : 0;
    withCoefficients<Load::Cached, false, DivergenceStencil::Energy>(system, half, [&](auto view) {
        const auto kernel = relaxInCluster<decltype(view)>;
        cudaCheck(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(configuration.dynamicSmemBytes)),
                  note.kernel.c_str());
        if (blocks > 1)
            cudaCheck(
                cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
                note.kernel.c_str());
        log.begin(note, reinterpret_cast<const void*>(kernel),
                  {configuration.gridDim, configuration.blockDim, configuration.dynamicSmemBytes});
        cudaCheck(cudaLaunchKernelEx(&configuration, kernel, view, t, omega, options.sweeps,
                                     options.tolerance, depth_, stop, system.state),
                  note.kernel.c_str());
        log.end();
    });
}

CompiledCost ResidentRelaxation::compiledCost() {
    // Between the colors the cluster waits, and its blocks exchange their changes.
    return {redBlackFamily.kernel(resident),
            std::string("relaxInCluster.*") + mangledView(DivergenceStencil::Energy, false),
            "loop",
            "FMUL",
            sweepCost(),
            {"LDG", "STG", "LDS+STS", "MUFU", "BAR"}};
}

} // namespace systole::clg
