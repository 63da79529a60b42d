#include "compute/cuda/kernel_support.cuh"
#include "compute/landmarks/descriptor_search_cuda.cuh"
#include "compute/landmarks/feature_planes.cuh"
#include "compute/landmarks/sest_cost.h"
#include "compute/landmarks/sest_math.h"

#include <algorithm>

namespace systole {
namespace {

using namespace sest;
using gpu::FeaturePlanes;

// A tensor is the sum over x of columns' sums over y and z. Those of a quarter (a half of y, a half
// of z) are made once and lie in shared memory, position by position; every place adds up its own.
// Four numbers are read at once: eight threads with positions an odd number apart share no bank.

constexpr int quarters = 4, groups = triangle / 4;
static_assert(triangle % 4 == 0);

/// Rows of the region in a block: as many as the threads that read shared memory at once.
constexpr int blockRows = 8;
/// Positions of a row that fit 48 KiB, with what else lies there.
constexpr int maxColumns = 49;

struct Half2 {
    Half y, z;
};
__device__ Half2 quarterOf(Size3 patch, int quarter) {
    return {halfOf(patch.y, (quarter & 1) != 0), halfOf(patch.z, (quarter & 2) != 0)};
}

/// Σ V Vᵀ over the column at x: rows and planes of the quarter around p.
__device__ void sumColumn(const FeaturePlanes& frame, int x, Voxel p, Half2 quarter, float4* sums) {
    float tensor[triangle];
#pragma unroll
    for (int k = 0; k < triangle; ++k)
        tensor[k] = 0;
    const Size3 size = frame.size;
    const int column = clampedIndex(x, size.x);
    for (int z = p.z + quarter.z.first; z <= p.z + quarter.z.last; ++z) {
        const int plane = size.y * clampedIndex(z, size.z);
#pragma unroll 1
        for (int y = p.y + quarter.y.first; y <= p.y + quarter.y.last; ++y) {
            const auto voxel =
                static_cast<unsigned>(column + size.x * (clampedIndex(y, size.y) + plane));
            float v[features];
#pragma unroll
            for (int f = 0; f < features; ++f)
                v[f] = frame(f, voxel);
#pragma unroll
            for (int i = 0; i < features; ++i)
#pragma unroll
                for (int j = 0; j <= i; ++j)
                    tensor[inTriangle(i, j)] += v[i] * v[j];
        }
    }
#pragma unroll
    for (int g = 0; g < groups; ++g)
        sums[g] =
            make_float4(tensor[4 * g], tensor[4 * g + 1], tensor[4 * g + 2], tensor[4 * g + 3]);
}

/// The decomposed tensor of one octant: `columns` sums from `first` on.
__device__ void octantOf(const float4* first, int columns, float (&tensor)[triangle]) {
#pragma unroll
    for (int k = 0; k < triangle; ++k)
        tensor[k] = 0;
#pragma unroll 1
    for (int x = 0; x < columns; ++x, first += groups)
#pragma unroll
        for (int g = 0; g < groups; ++g) {
            const float4 sum = first[g];
            tensor[4 * g] += sum.x;
            tensor[4 * g + 1] += sum.y;
            tensor[4 * g + 2] += sum.z;
            tensor[4 * g + 3] += sum.w;
        }
    decompose([](float square) { return rsqrtf(square); }, tensor);
}

/// Position of an octant's first column, and how many it has, for a place at position `radius`.
struct Columns {
    int first, count;
};
__device__ Columns columnsOf(int radius, bool upper) {
    return upper ? Columns{radius, radius + 1} : Columns{0, radius};
}

/// One block per place; a warp would do.
__global__ void __launch_bounds__(64)
    describeKernel(const __grid_constant__ FeaturePlanes frame, Size3 patch, const Voxel* places,
                   float* descriptors) {
    extern __shared__ float4 sums[];
    const Voxel p = places[blockIdx.x];
    const int width = 2 * patch.x + 1;
    for (int i = static_cast<int>(threadIdx.x); i < quarters * width;
         i += static_cast<int>(blockDim.x))
        sumColumn(frame, p.x - patch.x + i % width, p, quarterOf(patch, i / width),
                  sums + i * groups);
    __syncthreads();
    const int octant = static_cast<int>(threadIdx.x);
    if (octant >= octants)
        return;
    const Columns columns = columnsOf(patch.x, (octant & 1) != 0);
    float tensor[triangle];
    octantOf(sums + (octant / 2 * width + columns.first) * groups, columns.count, tensor);
    float* const out = descriptors + std::size_t{blockIdx.x} * numbers + octant * triangle;
#pragma unroll
    for (int k = 0; k < triangle; ++k)
        out[k] = tensor[k];
}

/// How regions are cut into blocks: tiles of `width` places of a row, blockRows rows of a region.
struct Cut {
    Window window;
    int width, tiles, rowBlocks;

    explicit Cut(const Window& w) : window(w) {
        const Size3 size = w.searchSize();
        const int most = maxColumns - 2 * w.patch.x;
        tiles = gpu::divideUp(size.x, most);
        width = gpu::divideUp(size.x, tiles);
        rowBlocks = gpu::divideUp(size.y * size.z, blockRows);
    }
    /// Positions of a row in shared memory: an odd number.
    constexpr int stride() const { return (width + 2 * window.patch.x) | 1; }
    constexpr int places() const { return blockRows * width; }
    std::size_t sharedBytes() const {
        return sizeof(float4) * static_cast<std::size_t>(blockRows * stride() * groups) +
               sizeof(float) * static_cast<std::size_t>(2 * places());
    }
    std::size_t blocks() const {
        return static_cast<std::size_t>(tiles) * static_cast<std::size_t>(rowBlocks);
    }
};

struct SharedSearch {
    FeaturePlanes target;
    Cut cut;
    const Voxel* centers;
    const float* descriptors;
    gpu::Measure measure;
    float* distances;
};

/// The places of a block.
struct BlockPlaces {
    std::size_t landmark;
    Voxel low;  ///< the region's first place
    int row, x; ///< the block's first row of the region, and first place of its rows
    int rows, width;

    __device__ explicit BlockPlaces(const SharedSearch& s) {
        const Window& window = s.cut.window;
        const Size3 region = window.searchSize();
        const auto tiles = static_cast<unsigned>(s.cut.tiles),
                   rowBlocks = static_cast<unsigned>(s.cut.rowBlocks);
        const unsigned block = blockIdx.x / tiles;
        landmark = block / rowBlocks;
        row = static_cast<int>(block % rowBlocks) * blockRows;
        x = static_cast<int>(blockIdx.x % tiles) * s.cut.width;
        rows = min(blockRows, region.y * region.z - row);
        width = min(s.cut.width, region.x - x);
        const Voxel center = s.centers[landmark];
        low = {center.x - window.search.x, center.y - window.search.y, center.z - window.search.z};
    }
    /// Place x of row r of the block.
    __device__ Voxel at(int r, int dx, Size3 region) const {
        return {low.x + x + dx, low.y + (row + r) % region.y, low.z + (row + r) / region.y};
    }
};

__global__ void __launch_bounds__(512) searchKernel(const __grid_constant__ SharedSearch s) {
    extern __shared__ float4 sums[];
    __shared__ float4 reference[numbers / 4];
    const Size3 patch = s.cut.window.patch, region = s.cut.window.searchSize();
    const int stride = s.cut.stride(), width = s.cut.width;
    const BlockPlaces block(s);
    float* const partial = reinterpret_cast<float*>(sums + blockRows * stride * groups);
    const auto thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    const auto inFrame = [&](int r) {
        return r < block.rows &&
               liesIn(s.target.size, {0, block.at(r, 0, region).y, block.at(r, 0, region).z});
    };
    const auto* const own =
        reinterpret_cast<const float4*>(s.descriptors + block.landmark * numbers);
    for (int n = thread; n < numbers / 4; n += threads)
        reference[n] = own[n];

    const int columns = width + 2 * patch.x, places = s.cut.places();
#pragma unroll 1
    for (int quarter = 0; quarter < quarters; ++quarter) {
        for (int i = thread; i < blockRows * columns; i += threads) {
            const int r = i / columns, c = i % columns;
            if (inFrame(r)) {
                const Voxel p = block.at(r, c - patch.x, region);
                sumColumn(s.target, p.x, p, quarterOf(patch, quarter),
                          sums + (r * stride + c) * groups);
            }
        }
        __syncthreads();
        for (int i = thread; i < 2 * places; i += threads) {
            const int r = i % blockRows, x = i / blockRows % width;
            const bool upper = i >= places;
            if (!inFrame(r))
                continue;
            const Columns part = columnsOf(patch.x, upper);
            float tensor[triangle];
            octantOf(sums + (r * stride + x + part.first) * groups, part.count, tensor);
            float distance = quarter == 0 ? 0 : partial[i];
            const float4* const compared = reference + (2 * quarter + upper) * groups;
#pragma unroll
            for (int g = 0; g < groups; ++g) {
                const float4 other = compared[g];
                const float d[4]{tensor[4 * g] - other.x, tensor[4 * g + 1] - other.y,
                                 tensor[4 * g + 2] - other.z, tensor[4 * g + 3] - other.w};
#pragma unroll
                for (int k = 0; k < 4; ++k)
                    distance += d[k] * d[k];
            }
            partial[i] = distance;
        }
        __syncthreads();
    }
    float* const out = s.distances + block.landmark * s.cut.window.candidates();
    for (int i = thread; i < block.rows * block.width; i += threads) {
        const int r = i / block.width, x = i % block.width;
        const int place = x * blockRows + r;
        float& distance = out[(block.row + r) * region.x + block.x + x];
        if (!liesIn(s.target.size, block.at(r, x, region))) {
            distance = INFINITY;
            continue;
        }
        const float squared = partial[place] + partial[places + place];
        distance = s.measure == gpu::Measure::Squared ? squared : sqrtf(squared);
    }
}

/// Arithmetic of one decomposition and comparison: inner products and two steps per diagonal,
/// quotients and roots, 28 differences squared.
constexpr double decomposeFlops = 2 * 56 + 4 * features + 28 + features,
                 compareFlops = 3 * triangle;

double voxels(Size3 patch) { return static_cast<double>(2 * patch.y + 1) * (2 * patch.z + 1); }

/// Work of a block. A column is summed in four quarters; sums move four numbers at a time.
KernelCost blockCost(const Cut& cut) {
    const Size3 patch = cut.window.patch;
    const double columns = blockRows * (cut.width + 2.0 * patch.x), places = cut.places();
    return columns * (voxels(patch) * patchVoxel + (4.0 * patch.z + 2) * KernelCost{.integer = 12} +
                      quarters * KernelCost{.integer = 40, .sharedAccesses = groups}) +
           places *
               (quarters * (2.0 * patch.x + 1) *
                    KernelCost{.add = triangle, .integer = 3, .sharedAccesses = groups} +
                octants * (octantCost + KernelCost{.integer = 20, .sharedAccesses = groups + 2}) +
                KernelCost{.add = 1, .integer = 30, .globalStores = 1, .sharedAccesses = 2});
}

KernelNote searchNote(const Cut& cut, const LaunchShape& shape, Size3 size, int count) {
    const double landmarks = count, blocks = gpu::blocksOf(shape);
    const double columns = blocks * blockRows * (cut.width + 2 * cut.window.patch.x),
                 places = blocks * cut.places();
    return {searchFamily.kernel(0),
            4.0 * (features * static_cast<double>(size.voxels()) +
                   landmarks * (numbers + static_cast<double>(cut.window.candidates()) + 3)),
            columns * voxels(cut.window.patch) * 2 * triangle +
                places * (4.0 * (2 * cut.window.patch.x + 1) * triangle +
                          octants * (decomposeFlops + compareFlops)),
            gpu::perThread(shape, blocks, blockCost(cut), {.barriers = 2 * quarters})};
}

} // namespace

void gpu::describePlaces(const FeatureView& frame, Size3 patch, const Voxel* places, int count,
                         float* descriptors, LaunchLog& log) {
    if (count == 0)
        return;
    const int width = 2 * patch.x + 1;
    const LaunchShape shape{dim3(static_cast<unsigned>(count)), dim3(64),
                            sizeof(float4) * static_cast<std::size_t>(quarters * width * groups)};
    const double flops = width * (voxels(patch) * 2 + 4) * triangle + octants * decomposeFlops;
    log.launch({"sest describe places",
                4.0 * count * (features * width * voxels(patch) + numbers + 3), count * flops},
               describeKernel, shape, FeaturePlanes(frame), patch, places, descriptors);
}

void gpu::searchRegions(const RegionSearch& s, LaunchLog& log) {
    if (s.count == 0)
        return;
    const Cut cut(s.window);
    const int threads = threadsOfBlock(log, searchFamily, 0);
    const LaunchShape shape{
        dim3(static_cast<unsigned>(cut.blocks() * static_cast<unsigned>(s.count))),
        dim3(static_cast<unsigned>(threads)), cut.sharedBytes()};
    log.launch(searchNote(cut, shape, s.target.size, s.count), searchKernel, shape,
               SharedSearch{FeaturePlanes(s.target), cut, s.centers, s.descriptors, s.measure,
                            s.distances});
}

namespace sest {

void describePlacesOnDevice(const FeatureView& frame, Size3 patch, const Voxel* places, int count,
                            float* descriptors, const ExecContext& ctx) {
    loggedCall(ctx, "gradient", [&](LaunchLog& log) {
        gpu::describePlaces(frame, patch, places, count, descriptors, log);
    });
}

void findSquaredDistancesOnDevice(const FeatureView& target, const Window& window,
                                  const Voxel* centers, int count, const float* descriptors,
                                  float* squared, const ExecContext& ctx) {
    loggedCall(ctx, "solve", [&](LaunchLog& log) {
        gpu::searchRegions(
            {target, window, centers, count, descriptors, gpu::Measure::Squared, squared}, log);
    });
}

} // namespace sest
} // namespace systole
