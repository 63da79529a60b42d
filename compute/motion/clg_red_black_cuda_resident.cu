#include "compute/motion/clg_red_black_cuda.cuh"

#include <bit>
#include <cooperative_groups.h>

namespace systole::clg {
namespace {

constexpr unsigned threads = 1024;
constexpr unsigned clusterBlocks = 16;

/// As takeChange of one half of the blocks' threads: the block's largest change into `gathered`.
__device__ inline void gatherChange(float change, unsigned& blockChange, unsigned* gathered) {
    if (threadIdx.x == 0)
        blockChange = 0;
    __syncthreads();
    unsigned bits = __float_as_uint(change);
    for (int lane = warpSize / 2; lane > 0; lane /= 2)
        bits = max(bits, __shfl_xor_sync(0xffffffffu, bits, lane));
    if (threadIdx.x % static_cast<unsigned>(warpSize) == 0)
        atomicMax(&blockChange, bits);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicMax(gathered, blockChange);
}

/// What a thread keeps of a voxel.
struct Resident {
    float inverse[6];  ///< of its block
    float constant[3]; ///< what b alone gives
    float value[3];
    std::size_t offset;
    unsigned neighbours; ///< which exist: −x +x −y +y −z +z
    bool inside;
};

template <typename View>
__device__ inline void settle(Resident& r, const View& s, const Planes<float>& t, unsigned cell,
                              int colour) {
    const Size3 size = s.size();
    const auto half = static_cast<unsigned>((size.x + 1) / 2);
    const auto height = static_cast<unsigned>(size.y);
    const int y = static_cast<int>(cell / half % height);
    const int z = static_cast<int>(cell / half / height);
    const Voxel p{2 * static_cast<int>(cell % half) + ((y + z + colour) & 1), y, z};
    r.inside = p.x < size.x && z < size.z;
    if (!r.inside)
        return;
    r.offset = offset(size, p);
    r.neighbours = 0;
    float n = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (int side = 0; side < 2; ++side)
            if (exists(size, p, axis, 2 * side - 1)) {
                r.neighbours |= 1u << (2 * axis + side);
                n += s.smoothness[static_cast<std::size_t>(axis)];
            }
    float j[6];
    for (std::size_t k = 0; k < 6; ++k)
        j[k] = coefficientAt(s, k, r.offset);
    const float nn[3] = {n, n, n};
    const std::array<float, 3> c0 = solveSymmetric<float>(j, nn, {1, 0, 0});
    const std::array<float, 3> c1 = solveSymmetric<float>(j, nn, {0, 1, 0});
    const std::array<float, 3> c2 = solveSymmetric<float>(j, nn, {0, 0, 1});
    const float b0 = coefficientAt(s, 6, r.offset), b1 = coefficientAt(s, 7, r.offset),
                b2 = coefficientAt(s, 8, r.offset);
    r.inverse[0] = c0[0];
    r.inverse[1] = c0[1];
    r.inverse[2] = c0[2];
    r.inverse[3] = c1[1];
    r.inverse[4] = c1[2];
    r.inverse[5] = c2[2];
    for (std::size_t k = 0; k < 3; ++k) {
        r.constant[k] = c0[k] * b0 + c1[k] * b1 + c2[k] * b2;
        r.value[k] = t.plane[k][r.offset];
    }
}

/// The field is exchanged through the L2 cache: other multiprocessors write it.
template <typename View>
__device__ inline float relax(Resident& r, const View& s, const Planes<float>& t, float omega) {
    const std::ptrdiff_t step[3] = {1, s.size().x,
                                    static_cast<std::ptrdiff_t>(s.size().x) * s.size().y};
    float sum[3];
    for (int k = 0; k < 3; ++k) {
        const float* const here = t.plane[k] + r.offset;
        float neighbour[6];
        for (int axis = 0; axis < 3; ++axis) {
            neighbour[2 * axis] = r.neighbours >> (2 * axis) & 1 ? __ldcg(here - step[axis]) : 0.0f;
            neighbour[2 * axis + 1] =
                r.neighbours >> (2 * axis + 1) & 1 ? __ldcg(here + step[axis]) : 0.0f;
        }
        sum[k] = s.smoothness[0] * (neighbour[0] + neighbour[1]) +
                 s.smoothness[1] * (neighbour[2] + neighbour[3]) +
                 s.smoothness[2] * (neighbour[4] + neighbour[5]);
    }
    constexpr int row[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    float largest = 0;
    for (int k = 0; k < 3; ++k) {
        const float solved = r.constant[k] + r.inverse[row[k][0]] * sum[0] +
                             r.inverse[row[k][1]] * sum[1] + r.inverse[row[k][2]] * sum[2];
        const float change = omega * (solved - r.value[k]);
        r.value[k] += change;
        __stcg(t.plane[k] + r.offset, r.value[k]);
        largest = fmaxf(largest, fabsf(change));
    }
    return largest;
}

struct BlockBarrier {
    __device__ static void wait() { __syncthreads(); }
};
struct ClusterBarrier {
    __device__ static void wait() {
#if __CUDA_ARCH__ >= 900
        cooperative_groups::this_cluster().sync();
#endif
    }
};
struct GridBarrier {
    __device__ static void wait() { cooperative_groups::this_grid().sync(); }
};

/// A thread has one voxel of each colour. Between half-sweeps all threads wait for each other;
/// each of them comes to the same verdict from the same sums.
template <typename Barrier, typename View>
__global__ void __launch_bounds__(threads)
    relaxResident(const View view, Planes<float> t, float omega, int sweeps, double tolerance,
                  unsigned* gathered, const int* stop, DeviceState* state) {
    __shared__ unsigned blockChange;
    if (stop && *stop)
        return;
    const View s = view.loaded();
    const unsigned index = blockIdx.x * threads + threadIdx.x;
    Resident voxels[2];
    for (int colour = 0; colour < 2; ++colour)
        settle(voxels[colour], s, t, index, colour);
    float change = 0, before = 0;
    int done = 0, sweep = 0;
    while (sweep < sweeps && !done) {
        ++sweep;
        float largest = 0;
        // Of the two words in turn, one was read by all before the last barrier.
        unsigned* const word = gathered + sweep % 2;
        if (index == 0)
            __stcg(word, 0u);
        if (voxels[0].inside)
            largest = relax(voxels[0], s, t, omega);
        Barrier::wait();
        if (voxels[1].inside)
            largest = fmaxf(largest, relax(voxels[1], s, t, omega));
        // As ConvergenceTest wants them.
        const int phase = sweep % changeCheckInterval;
        const bool checks = tolerance > 0 && phase == 0;
        const bool gathers =
            checks || sweep == sweeps || (tolerance > 0 && phase == changeCheckInterval - 1);
        if (gathers)
            gatherChange(largest, blockChange, word);
        Barrier::wait();
        if (gathers) {
            before = change;
            change = __uint_as_float(__ldcg(word));
            done = checks && converged(change, before, tolerance);
        }
    }
    if (index == 0) {
        state->done = done;
        state->sweepsOfSolve = sweep;
        state->sweeps += sweep;
        state->change = change;
        state->changeBefore = before;
        state->away = 0;
    }
}

unsigned blocksFor(Size3 size) {
    const unsigned pairs = static_cast<unsigned>((size.x + 1) / 2) * static_cast<unsigned>(size.y) *
                           static_cast<unsigned>(size.z);
    const unsigned blocks = (pairs + threads - 1) / threads;
    return blocks > clusterBlocks ? blocks : std::bit_ceil(blocks);
}

/// Whether a cluster of so many blocks finds room; not every device has it for the largest.
bool clusterFits(const void* kernel, unsigned blocks) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = blocks;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = dim3(blocks);
    configuration.blockDim = dim3(threads);
    configuration.attrs = &attribute;
    configuration.numAttrs = 1;
    cudaCheck(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
              "allowing large clusters");
    int clusters = 0;
    const cudaError_t answer = cudaOccupancyMaxActiveClusters(&clusters, kernel, &configuration);
    cudaGetLastError();
    return answer == cudaSuccess && clusters > 0;
}

using FloatView = SystemView<FloatCoefficients<Load::Cached>, false, DivergenceStencil::Energy>;

} // namespace

bool ResidentRelaxation::fits(const CudaContext& cuda, Size3 size) {
    const auto pairs = static_cast<std::size_t>((size.x + 1) / 2) *
                       static_cast<std::size_t>(size.y) * static_cast<std::size_t>(size.z);
    const std::size_t held =
        std::size_t{threads} * static_cast<std::size_t>(cuda.device().multiprocessors);
    return pairs <= held;
}

ResidentRelaxation::ResidentRelaxation(CudaContext& cuda, Size3 size)
    : size_(size)
    , barrier_(Barrier::Grid)
    , blocks_(blocksFor(size))
    , gathered_(cuda.devicePool().acquire<unsigned>(2, "solver, changes")) {
    if (blocks_ == 1)
        barrier_ = Barrier::Block;
    else if (blocks_ <= clusterBlocks && cuda.device().computeCapability >= 90 &&
             clusterFits(reinterpret_cast<const void*>(relaxResident<ClusterBarrier, FloatView>),
                         blocks_))
        barrier_ = Barrier::Cluster;
}

void ResidentRelaxation::solve(const DeviceSystem& system, const HalfTensor& half,
                               const Planes<float>& t, const SolveOptions& options, const int* stop,
                               LaunchLog& log) {
    const auto voxels = static_cast<double>(size_.voxels());
    // The blocks once; every sweep reads and writes the field.
    const KernelNote note{"red-black/resident",
                          (coefficientBytes(half) + 24.0 * options.sweeps) * voxels};
    withCoefficients<Load::Cached, false, DivergenceStencil::Energy>(system, half, [&](auto view) {
        using View = decltype(view);
        const auto kernel = barrier_ == Barrier::Block     ? relaxResident<BlockBarrier, View>
                            : barrier_ == Barrier::Cluster ? relaxResident<ClusterBarrier, View>
                                                           : relaxResident<GridBarrier, View>;
        cudaLaunchAttribute attribute{};
        cudaLaunchConfig_t configuration{};
        configuration.gridDim = dim3(blocks_);
        configuration.blockDim = dim3(threads);
        configuration.stream = log.stream();
        configuration.attrs = &attribute;
        configuration.numAttrs = 1;
        if (barrier_ == Barrier::Cluster) {
            attribute.id = cudaLaunchAttributeClusterDimension;
            attribute.val.clusterDim.x = blocks_;
            attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
            cudaCheck(
                cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
                note.kernel);
        } else {
            attribute.id = cudaLaunchAttributeCooperative;
            attribute.val.cooperative = 1;
        }
        log.begin(note, reinterpret_cast<const void*>(kernel),
                  {configuration.gridDim, configuration.blockDim});
        cudaCheck(cudaLaunchKernelEx(&configuration, kernel, view, t,
                                     static_cast<float>(options.omega), options.sweeps,
                                     options.tolerance, gathered_.data(), stop, system.state),
                  note.kernel);
        log.end();
    });
}

} // namespace systole::clg
