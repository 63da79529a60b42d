// The Gaussian along x and y in one kernel: rows go through shared memory, columns through
// registers.
#include "compute/cuda/early_launch.cuh"
#include "compute/ops/smooth_variants.cuh"

#include <algorithm>
#include <cuda_pipeline.h>

namespace systole::gpu {
namespace {

constexpr int fused = smoothFamily.named("fused");
constexpr int standardWarps = smoothFamily.at(fused).standardThreads / 32;
/// Neighboring voxels along x per thread: they share the values read from the row.
constexpr int pairX = 2;
constexpr int warpX = 32 * pairX;
/// Rows in the ring: one being read, the others being copied.
constexpr int rowsKept = 4;

/// Tiles, one per warp: a range of columns of one plane, and a range of its rows.
struct WarpTiles {
    int alongX, parts, rowsPerPart;
    std::size_t count;
};

/// The rows of one warp in shared memory.
template <int R>
struct RowsOfWarp {
    static constexpr int held = (warpX + 2 * R + 31) / 32;
    static constexpr int row = 32 * held;
    static constexpr int floats = rowsKept * row;
};

/// Each warp marches along y over a tile of 64 columns: it smooths the current row along x
/// from shared memory and adds the values to the open sums along y. Long because its steps share
/// the ring of rows and the open sums, which stay in registers.
template <int R, int Warps, int Most>
__global__ void __launch_bounds__(Most)
    smoothPlanesFused(const float* __restrict__ in, float* __restrict__ out, Size3 size,
                      WarpTiles tiles, const __grid_constant__ Taps taps, const int* skip) {
    waitForKernelBefore();
    if (isSet(skip))
        return;
    using Rows = RowsOfWarp<R>;
    constexpr int held = Rows::held;
    // Shared memory for the number of warps that the kernel is built for, which makes the default
    // block 4 % faster, or that were launched.
    constexpr int builtWarps = Warps > 0 ? Warps : 1, builtRow = Warps > 0 ? Rows::row : 1;
    __shared__ __align__(16) float builtRows[builtWarps][rowsKept][builtRow];
    extern __shared__ __align__(16) float launchedRows[];
    const std::size_t tile =
        blockIdx.x * static_cast<std::size_t>(Warps > 0 ? Warps : blockDim.y) + threadIdx.y;
    if (tile >= tiles.count)
        return; // whole warps return, and warps don't wait for one another
    const int lane = static_cast<int>(threadIdx.x);
    const int x0 = static_cast<int>(tile % static_cast<std::size_t>(tiles.alongX)) * warpX;
    const std::size_t rest = tile / static_cast<std::size_t>(tiles.alongX);
    const int begin =
        static_cast<int>(rest % static_cast<std::size_t>(tiles.parts)) * tiles.rowsPerPart;
    const int end = min(begin + tiles.rowsPerPart, size.y);
    const std::size_t plane = rest / static_cast<std::size_t>(tiles.parts) *
                              static_cast<std::size_t>(size.x) * static_cast<std::size_t>(size.y);
    const auto rowStart = [&](int y) {
        return plane +
               static_cast<std::size_t>(clampedIndex(y, size.y)) * static_cast<std::size_t>(size.x);
    };
    int column[held];
#pragma unroll
    for (int j = 0; j < held; ++j)
        column[j] = clampedIndex(x0 - R + lane + 32 * j, size.x);
    // Rows are copied into a ring; each step waits for the oldest and starts copying one more.
    const auto slot = [&](int y) -> float* {
        const int kept = (y - begin + R) % rowsKept;
        if constexpr (Warps > 0)
            return builtRows[threadIdx.y][kept];
        else
            return launchedRows + Rows::floats * static_cast<int>(threadIdx.y) + kept * Rows::row;
    };
    const auto fetch = [&](int y) {
        if (y < end + R) {
            const float* const from = in + rowStart(y);
            float* const to = slot(y);
#pragma unroll
            for (int j = 0; j < held; ++j)
                __pipeline_memcpy_async(to + lane + 32 * j, from + column[j], sizeof(float));
        }
        __pipeline_commit();
    };

    const int x = x0 + pairX * lane;
    const bool paired = size.x % pairX == 0;
    OpenSums<R> sums[pairX];
    for (int y = begin - R; y < begin - R + rowsKept - 1; ++y)
        fetch(y);
    for (int y = begin - R; y < end + R; ++y) {
        __pipeline_wait_prior(rowsKept - 2);
        // Every lane's values of this row have arrived, and every lane has read the previous row,
        // whose slot is filled next.
        __syncwarp();
        fetch(y + rowsKept - 1);
        const float* const row = slot(y);
        float along[pairX] = {};
        const float2* const pairs = reinterpret_cast<const float2*>(row) + lane;
#pragma unroll
        for (int k = 0; k <= R; ++k) {
            const float2 v = pairs[k]; // values 2k and 2k + 1 of this thread's window
            along[0] = fmaf(taps.weight[2 * k], v.x, along[0]);
            if (2 * k + 1 <= 2 * R)
                along[0] = fmaf(taps.weight[2 * k + 1], v.y, along[0]);
            if (k > 0)
                along[1] = fmaf(taps.weight[2 * k - 1], v.x, along[1]);
            along[1] = fmaf(taps.weight[2 * k], v.y, along[1]);
        }
        const float first = sums[0].feed(along[0], taps), second = sums[1].feed(along[1], taps);
        const int done = y - R;
        if (done < begin || x >= size.x)
            continue;
        float* const to = out + rowStart(done) + x;
        if (paired) {
            *reinterpret_cast<float2*>(to) = make_float2(first, second);
        } else {
            to[0] = first;
            if (x + 1 < size.x)
                to[1] = second;
        }
    }
}

/// Planes are cut along y while there are too few warps to fill a device; each cut smooths 2·R rows
/// twice.
WarpTiles tilesOver(const SmoothingPass& pass, int radius) {
    constexpr std::size_t enough = 132 * 16;
    WarpTiles tiles;
    tiles.alongX = divideUp(pass.size.x, warpX);
    const std::size_t whole = static_cast<std::size_t>(tiles.alongX) *
                              static_cast<std::size_t>(pass.size.z) *
                              static_cast<std::size_t>(pass.count);
    const auto wanted = static_cast<int>((enough + whole - 1) / whole);
    const int parts = std::clamp(wanted, 1, std::max(1, pass.size.y / (2 * radius)));
    tiles.rowsPerPart = divideUp(pass.size.y, parts);
    tiles.parts = divideUp(pass.size.y, tiles.rowsPerPart);
    tiles.count = whole * static_cast<std::size_t>(tiles.parts);
    return tiles;
}

/// Cost of one step along y for two columns, x and y in one kernel. Asynchronous copies bring
/// values from memory into the row's ring; both windows consist of pairs of values.
KernelCost planesCost(int radius) {
    KernelCost c;
    const double held = (64 + 2 * radius + 31) / 32;
    c.globalLoads = held;
    c.sharedAccesses = held + radius + 1;
    // A pair per lane is twice what the banks deliver at once.
    c.bankConflicts = (held + 2 * (radius + 1)) / c.sharedAccesses;
    c.fusedMultiplyAdd = 2 * tapsOf(radius) + 2 * 2 * radius;
    c.multiply = 2;
    c.globalStores = 1;
    c.integer = 75;
    return c;
}

} // namespace

void smoothPlanes(const SmoothingPass& pass, const Taps& taps, LaunchLog& log) {
    const std::string name = smoothFamily.kernel(fused);
    const auto values =
        static_cast<double>(static_cast<std::size_t>(pass.count) * pass.size.voxels());
    withBuiltRadius(taps, [&](auto radius, const Taps& padded) {
        constexpr int R = decltype(radius)::value;
        const WarpTiles tiles = tilesOver(pass, R);
        const auto warps = static_cast<std::size_t>(rowsOfBlock(log, smoothFamily, fused));
        LaunchShape shape{dim3(static_cast<unsigned>((tiles.count + warps - 1) / warps)),
                          dim3(32, static_cast<unsigned>(warps))};
        // Each tile starts R rows early and ends R rows late; a warp has 32 threads.
        const double steps = 32.0 * static_cast<double>(tiles.count) * (tiles.rowsPerPart + 2 * R);
        const KernelCost thread = perThread(shape, steps, planesCost(R));
        const auto launch = [&](auto kernel) {
            allowShared(kernel, name, shape);
            launchEarly(log, {name, 8 * values, 4.0 * (2 * R + 1) * values, thread}, kernel, shape,
                        pass.in, pass.out, pass.size, tiles, padded, pass.skip);
        };
        constexpr int standardThreads = 32 * standardWarps;
        if (warps == standardWarps) {
            launch(smoothPlanesFused<R, standardWarps, standardThreads>);
            return;
        }
        shape.sharedBytes = sizeof(float) * warps * RowsOfWarp<R>::floats;
        withBound<standardThreads>(32 * static_cast<int>(warps), [&](auto most) {
            launch(smoothPlanesFused<R, 0, decltype(most)::value>);
        });
    });
}

CompiledCost compiledPlanes() {
    // One of two ways to store runs.
    return {smoothFamily.kernel(fused),
            "smoothPlanesFusedILi12ELi4E",
            "loop",
            "FMUL",
            planesCost(checkedRadius),
            {"STG"}};
}

} // namespace systole::gpu
