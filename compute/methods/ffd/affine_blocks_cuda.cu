#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/ffd/affine_blocks_cuda.cuh"
#include "compute/methods/ffd/affine_blocks_math.h"
#include "compute/ops/sample.h"

namespace systole::gpu {
namespace {

using namespace affine;

constexpr int planesPerThread = 4;

__global__ void varianceKernel(VolumeView<const float> image, VolumeView<const float> mask,
                               int blocks, float* variances) {
    const int block = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (block < blocks)
        variances[block] = blockVariance(image, mask, block);
}

__global__ void warpKernel(VolumeView<const float> moving, VolumeView<const float> mask,
                           const __grid_constant__ VoxelMap map, VolumeView<float> out) {
    const Column c = columnOf(out.size, planesPerThread);
    if (!c.inGrid)
        return;
    for (int z = c.begin; z < c.end; ++z) {
        const RowStart row(map, c.y, z);
        const float x = fused(map[0][0], static_cast<float>(c.x), row.x),
                    y = fused(map[1][0], static_cast<float>(c.x), row.y),
                    w = fused(map[2][0], static_cast<float>(c.x), row.z);
        float value = NAN;
        if (inVoxels(x, y, w, moving.size)) {
            const TrilinearSample sample(moving.size, x, y, w);
            if (mask.empty() || fusedSample(sample, mask.data) >= 0.5f)
                value = fusedSample(sample, moving.data);
        }
        out(c.x, c.y, z) = value;
    }
}

/// Floats from a row of the region to the next: odd, so that the rows that a warp reads at once lie
/// in different banks.
constexpr int pitch = regionSide + 1;
constexpr int maxBlockVoxels = blockSide * blockSide * blockSide;

/// Shared memory of a block of threads: the fixed block without its mean and its squares, the
/// region without the value at its middle (NaN where there is none), and the candidates' scores.
struct Shared {
    float f[maxBlockVoxels], f2[maxBlockVoxels];
    float region[regionSide * regionSide * pitch];
    float scores[candidates];
    float bestScore[32];
    int best[32];
};

struct Prepared {
    Size3 extent;
    float voxels, ff;
    bool allKnown;
};

/// Fills the shared memory. In every thread the same.
__device__ Prepared prepare(const Matching& m, Shared& s) {
    const BlockGrid grid{m.fixed.size};
    const Voxel o = grid.origin(m.blocks[blockIdx.x]);
    const Size3 e = grid.extent();
    const int count = e.x * e.y * e.z, threads = static_cast<int>(blockDim.x),
              thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < count; i += threads)
        s.f[i] = m.fixed(o.x + i % e.x, o.y + i / e.x % e.y, o.z + i / (e.x * e.y));
    const float middle = m.warped(o.x + e.x / 2, o.y + e.y / 2, o.z + e.z / 2);
    const float reference = isnan(middle) ? 0 : middle;
    const int first = searchRadius - m.search.radius, reach = searchRadius + m.search.radius;
    bool known = true;
    for (int i = thread; i < regionSide * regionSide * regionSide; i += threads) {
        const int x = i % regionSide, y = i / regionSide % regionSide,
                  z = i / (regionSide * regionSide);
        const Voxel p{o.x + x - searchRadius, o.y + y - searchRadius, o.z + z - searchRadius};
        const float value = liesIn(m.warped.size, p) ? m.warped(p.x, p.y, p.z) - reference : NAN;
        s.region[(z * regionSide + y) * pitch + x] = value;
        const bool needed = x >= first && y >= first && z >= first && x < e.x + reach &&
                            y < e.y + reach && z < e.z + reach;
        known = known && (!needed || !isnan(value));
    }
    Prepared p{e, static_cast<float>(count), 0, __syncthreads_and(known) != 0};
    float sum = 0;
    for (int i = 0; i < count; ++i)
        sum += s.f[i];
    const float mean = sum / p.voxels;
    __syncthreads();
    for (int i = thread; i < count; i += threads) {
        s.f[i] -= mean;
        s.f2[i] = s.f[i] * s.f[i];
    }
    __syncthreads();
    for (int i = 0; i < count; ++i)
        p.ff = fused(s.f[i], s.f[i], p.ff);
    return p;
}

/// scoreAt() of the plain loops, for a region in which every voxel has a value or one in which
/// some have none.
template <bool AllKnown>
__device__ float scoreOf(const Prepared& p, const Shared& s, int candidate, Sign sign) {
    const int dx = candidate % searchSide, dy = candidate / searchSide % searchSide,
              dz = candidate / (searchSide * searchSide);
    WindowSums w{0, 0, 0, 0, 0, 0};
    int i = 0;
    for (int z = 0; z < p.extent.z; ++z) {
        float planeM = 0, planeMM = 0;
        for (int y = 0; y < p.extent.y; ++y) {
            float rowM = 0, rowMM = 0;
            const float* const row = s.region + ((z + dz) * regionSide + y + dy) * pitch + dx;
            for (int x = 0; x < p.extent.x; ++x, ++i) {
                const float m = row[x];
                if (!AllKnown) {
                    if (isnan(m))
                        continue;
                    w.n += 1;
                    w.f += s.f[i];
                    w.ff += s.f2[i];
                }
                w.fm = fused(s.f[i], m, w.fm);
                rowM += m;
                rowMM = fused(m, m, rowMM);
            }
            planeM += rowM;
            planeMM += rowMM;
        }
        w.m += planeM;
        w.mm += planeMM;
    }
    return AllKnown ? fullScore(p.ff, w.m, w.mm, w.fm, p.voxels, sign) : score(w, p.voxels, sign);
}

template <bool AllKnown>
__device__ void scoreCandidates(const Prepared& p, Shared& s, Search search) {
    for (int k = static_cast<int>(threadIdx.x); k < candidates; k += static_cast<int>(blockDim.x))
        s.scores[k] = inSearch(k, search.radius) ? scoreOf<AllKnown>(p, s, k, search.sign) : -2.0f;
}

/// The seven candidates of a row by one thread: it reads a row of the region once.
__device__ void scoreRows(const Prepared& p, Shared& s, Search search) {
    for (int pair = static_cast<int>(threadIdx.x); pair < searchSide * searchSide;
         pair += static_cast<int>(blockDim.x)) {
        const int dy = pair % searchSide, dz = pair / searchSide;
        if (!inRadius(dy, search.radius) || !inRadius(dz, search.radius)) {
            for (int k = 0; k < searchSide; ++k)
                s.scores[pair * searchSide + k] = -2;
            continue;
        }
        float fm[searchSide] = {}, m[searchSide] = {}, mm[searchSide] = {};
        const float* f = s.f;
        for (int z = 0; z < p.extent.z; ++z) {
            float planeM[searchSide] = {}, planeMM[searchSide] = {};
            for (int y = 0; y < p.extent.y; ++y) {
                const float* const from = s.region + ((z + dz) * regionSide + y + dy) * pitch;
                float row[regionSide];
#pragma unroll
                for (int x = 0; x < regionSide; ++x)
                    row[x] = from[x];
                float rowM[searchSide] = {}, rowMM[searchSide] = {};
#pragma unroll
                for (int x = 0; x < blockSide; ++x) {
                    if (x >= p.extent.x)
                        break;
                    const float weight = *f++;
#pragma unroll
                    for (int k = 0; k < searchSide; ++k) {
                        fm[k] = fused(weight, row[k + x], fm[k]);
                        rowM[k] += row[k + x];
                        rowMM[k] = fused(row[k + x], row[k + x], rowMM[k]);
                    }
                }
#pragma unroll
                for (int k = 0; k < searchSide; ++k) {
                    planeM[k] += rowM[k];
                    planeMM[k] += rowMM[k];
                }
            }
#pragma unroll
            for (int k = 0; k < searchSide; ++k) {
                m[k] += planeM[k];
                mm[k] += planeMM[k];
            }
        }
#pragma unroll
        for (int k = 0; k < searchSide; ++k)
            s.scores[pair * searchSide + k] =
                inRadius(k, search.radius)
                    ? fullScore(p.ff, m[k], mm[k], fm[k], p.voxels, search.sign)
                    : -2.0f;
    }
}

__device__ inline bool better(float score, int index, float than, int thanIndex) {
    return score > than || (score == than && index < thanIndex);
}

/// The match of the best candidate, the first among equals, written by thread 0. Blocks are whole
/// warps.
__device__ void writeBest(const Matching& m, Shared& s) {
    __syncthreads();
    float bestScore = -3;
    int best = candidates;
    for (int k = static_cast<int>(threadIdx.x); k < candidates; k += static_cast<int>(blockDim.x))
        if (better(s.scores[k], k, bestScore, best)) {
            bestScore = s.scores[k];
            best = k;
        }
    for (int lane = 16; lane > 0; lane /= 2) {
        const float other = __shfl_down_sync(0xffffffffu, bestScore, static_cast<unsigned>(lane));
        const int index = __shfl_down_sync(0xffffffffu, best, static_cast<unsigned>(lane));
        if (better(other, index, bestScore, best)) {
            bestScore = other;
            best = index;
        }
    }
    if (threadIdx.x % 32 == 0) {
        s.bestScore[threadIdx.x / 32] = bestScore;
        s.best[threadIdx.x / 32] = best;
    }
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp)
        if (better(s.bestScore[warp], s.best[warp], bestScore, best)) {
            bestScore = s.bestScore[warp];
            best = s.best[warp];
        }
    m.matches[blockIdx.x] = matchOf(s.scores, best, [](float square) { return sqrtf(square); });
}

__global__ void __launch_bounds__(1024) matchDirect(const __grid_constant__ Matching m) {
    __shared__ Shared s;
    const Prepared p = prepare(m, s);
    if (p.allKnown)
        scoreCandidates<true>(p, s, m.search);
    else
        scoreCandidates<false>(p, s, m.search);
    writeBest(m, s);
}

__global__ void __launch_bounds__(256) matchRows(const __grid_constant__ Matching m) {
    __shared__ Shared s;
    const Prepared p = prepare(m, s);
    if (p.allKnown)
        scoreRows(p, s, m.search);
    else
        scoreCandidates<false>(p, s, m.search);
    writeBest(m, s);
}

// Costs per block of voxels, in regions where every voxel has a value: reading both images and the
// mean; one candidate's sums (per voxel a product, a square and a sum), and its score.
constexpr double regionVoxels = regionSide * regionSide * regionSide;

KernelCost prepareCost(double threads) {
    return (regionVoxels / threads) *
               KernelCost{.add = 1, .integer = 30, .globalLoads = 1, .sharedAccesses = 1} +
           (maxBlockVoxels / threads) *
               KernelCost{
                   .add = 1, .multiply = 1, .integer = 20, .globalLoads = 1, .sharedAccesses = 4} +
           maxBlockVoxels * KernelCost{.add = 1, .fusedMultiplyAdd = 1, .sharedAccesses = 2} +
           KernelCost{.divide = 1, .barriers = 3};
}
constexpr KernelCost scoreCost{
    .add = 2 * 20, .multiply = 2, .fusedMultiplyAdd = 1, .divide = 3, .sharedAccesses = 2};

KernelCost directCost(double threads) {
    return prepareCost(threads) +
           (candidates / threads) *
               (scoreCost +
                maxBlockVoxels *
                    KernelCost{.add = 1, .fusedMultiplyAdd = 2, .integer = 2, .sharedAccesses = 2});
}
KernelCost rowsCost(double threads) {
    return prepareCost(threads) +
           (candidates / threads) *
               (scoreCost + maxBlockVoxels * KernelCost{.add = 1,
                                                        .fusedMultiplyAdd = 2,
                                                        .sharedAccesses = (10 + 4) / 28.0});
}

struct MatchKernel {
    void (*kernel)(Matching);
    KernelCost (*cost)(double threads);
};
constexpr MatchKernel matchKernels[] = {{matchDirect, directCost}, {matchRows, rowsCost}};
static_assert(std::size(matchKernels) == std::size(matchVariants));

} // namespace

void blockVariances(VolumeView<const float> image, VolumeView<const float> mask, float* variances,
                    LaunchLog& log) {
    const int blocks = BlockGrid{image.size}.blocks();
    const auto voxels = static_cast<double>(image.voxels());
    log.launch({"block variances", (mask.empty() ? 4 : 8) * voxels + 4.0 * blocks, 3 * voxels},
               varianceKernel, threadsOver(static_cast<std::size_t>(blocks), 64), image, mask,
               blocks, variances);
}

void warpByMap(VolumeView<const float> moving, VolumeView<const float> mask, const VoxelMap& map,
               VolumeView<float> out, LaunchLog& log) {
    const auto voxels = static_cast<double>(out.voxels());
    const auto read = static_cast<double>(moving.voxels());
    log.launch({"warp by map", 4 * voxels + (mask.empty() ? 4 : 8) * read, 30 * voxels}, warpKernel,
               columnsOver(out.size, planesPerThread), moving, mask, map, out);
}

void matchBlocks(int variant, const Matching& m, int count, LaunchLog& log) {
    if (count == 0)
        return;
    const int threads = threadsOfBlock(log, matchFamily, variant);
    const double work = count;
    log.launch(
        {matchFamily.kernel(variant),
         4 * (static_cast<double>(m.fixed.voxels()) + static_cast<double>(m.warped.voxels())) +
             work * (sizeof(int) + sizeof(BlockMatch)),
         work * candidates * maxBlockVoxels * 5.0, matchKernels[variant].cost(threads)},
        matchKernels[variant].kernel,
        {dim3(static_cast<unsigned>(count)), dim3(static_cast<unsigned>(threads))}, m);
}

} // namespace systole::gpu
