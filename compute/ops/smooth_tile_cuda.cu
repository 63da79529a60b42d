// The Gaussian along all three axes in one kernel, for volumes that are too small to fill a device
// with rows: a block smooths a tile with its halo in shared memory.
#include "compute/cuda/early_launch.cuh"
#include "compute/ops/smooth_variants.cuh"

#include <algorithm>
#include <cuda_pipeline.h>

namespace systole::gpu {
namespace {

constexpr int tile = 16;   ///< length along x and y
constexpr int depth = 8;   ///< length along z
constexpr int stretch = 8; ///< values that a thread smooths beside each other
constexpr int threads = 512;
constexpr int maxRadius = 8;
/// Larger volumes are smoothed sooner in passes: measured on an H200.
constexpr std::size_t fewVoxels = 34 * 34 * 34;
constexpr const char* name = "smooth/tiles";
/// Length in shared memory, so that threads of a row of tasks use different banks.
constexpr int paddedRow = tile + 1;

/// Taps of all axes, padded to radius R.
struct TileTaps {
    Taps along[3];
};

/// Shared memory of a block: the tile with its halo, then rows smoothed along x, and those smoothed
/// along y, too, which replace the tile.
template <int R>
struct TileRoom {
    static constexpr int rows = tile + 2 * R, planes = depth + 2 * R;
    static constexpr int row = rows + 1 - rows % 2; ///< odd: a column lies in different banks
    static constexpr int read = planes * rows * row, alongX = planes * rows * paddedRow,
                         alongY = planes * tile * tile;
    static_assert(alongY <= read);
    static constexpr std::size_t bytes = sizeof(float) * (read + alongX);
};

template <int R>
__global__ void __launch_bounds__(threads)
    smoothTile(const float* __restrict__ in, float* __restrict__ out, Size3 size, dim3 tiles,
               const __grid_constant__ TileTaps taps) {
    waitForKernelBefore();
    using Room = TileRoom<R>;
    extern __shared__ float read[];
    float *const alongX = read + Room::read, *const alongY = read;
    const int x0 = tile * static_cast<int>(blockIdx.x % tiles.x),
              y0 = tile * static_cast<int>(blockIdx.x / tiles.x % tiles.y),
              z0 = depth * static_cast<int>(blockIdx.x / tiles.x / tiles.y);
    const std::size_t volume = blockIdx.y * size.voxels();
    const float* const from = in + volume;
    const auto nx = static_cast<std::size_t>(size.x), ny = static_cast<std::size_t>(size.y);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (int line = static_cast<int>(threadIdx.x) / 32; line < Room::planes * Room::rows;
         line += threads / 32) {
        const float* const row =
            from +
            nx * (static_cast<std::size_t>(clampedIndex(y0 + line % Room::rows - R, size.y)) +
                  ny * static_cast<std::size_t>(clampedIndex(z0 + line / Room::rows - R, size.z)));
        if (lane < Room::rows)
            __pipeline_memcpy_async(read + Room::row * line + lane,
                                    row + clampedIndex(x0 + lane - R, size.x), sizeof(float));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    constexpr int parts = tile / stretch;
    for (int task = static_cast<int>(threadIdx.x); task < Room::planes * Room::rows * parts;
         task += threads) {
        // Threads beside each other have rows beside each other.
        const int line = task % (Room::planes * Room::rows),
                  x = task / (Room::planes * Room::rows) * stretch;
        const float* const row = read + Room::row * line + x + R;
        float* const to = alongX + paddedRow * line + x;
        smoothStretch<R, stretch, true>(
            taps.along[0], [&](int k) { return row[k]; }, [&](int n, float sum) { to[n] = sum; });
    }
    __syncthreads();
    for (int task = static_cast<int>(threadIdx.x); task < Room::planes * tile * parts;
         task += threads) {
        const int x = task % tile, y = task / tile % parts * stretch, plane = task / tile / parts;
        const float* const line = alongX + x + paddedRow * (Room::rows * plane + y + R);
        float* const to = alongY + x + tile * (y + tile * plane);
        smoothStretch<R, stretch, false>(
            taps.along[1], [&](int k) { return line[paddedRow * k]; },
            [&](int n, float sum) { to[tile * n] = sum; });
    }
    __syncthreads();
    constexpr int ofColumn = depth / 2;
    static_assert(tile * tile * 2 == threads && tile + 2 * maxRadius <= 32);
    const int x = static_cast<int>(threadIdx.x) % tile,
              y = static_cast<int>(threadIdx.x) / tile % tile,
              z = static_cast<int>(threadIdx.x) / tile / tile * ofColumn;
    const float* const line = alongY + x + tile * (y + tile * (z + R));
    smoothStretch<R, ofColumn, false>(
        taps.along[2], [&](int k) { return line[tile * tile * k]; },
        [&](int n, float sum) {
            if (x0 + x < size.x && y0 + y < size.y && z0 + z + n < size.z)
                out[volume + static_cast<std::size_t>(x0 + x) +
                    nx * (static_cast<std::size_t>(y0 + y) +
                          ny * static_cast<std::size_t>(z0 + z + n))] = sum;
        });
}

template <int R>
void launchTiles(const VolumeStack& in, float* out, const AxisTaps& taps, LaunchLog& log) {
    const Size3 size = in.size;
    const TileTaps wide{
        {paddedTo(R, taps.along[0]), paddedTo(R, taps.along[1]), paddedTo(R, taps.along[2])}};
    const dim3 tiles(static_cast<unsigned>(divideUp(size.x, tile)),
                     static_cast<unsigned>(divideUp(size.y, tile)),
                     static_cast<unsigned>(divideUp(size.z, depth)));
    const LaunchShape shape{dim3(tiles.x * tiles.y * tiles.z, static_cast<unsigned>(in.count)),
                            dim3(threads), TileRoom<R>::bytes};
    const auto values = static_cast<double>(in.count) * static_cast<double>(in.volume());
    const auto kernel = smoothTile<R>;
    allowShared(kernel, name, shape);
    launchEarly(log, {name, 8 * values, 6.0 * (2 * R + 1) * values}, kernel, shape, in.data, out,
                size, tiles, wide);
}

} // namespace

bool fitsTiles(const CudaContext& cuda, const AxisTaps& taps) {
    int most = 0;
    cudaCheck(
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.device().index),
        "asking for the shared memory of a block");
    return largestRadius(taps) <= maxRadius &&
           TileRoom<maxRadius>::bytes <= static_cast<std::size_t>(most);
}

bool worthTiles(Size3 size) { return size.voxels() <= fewVoxels; }

void smoothTiles(const VolumeStack& in, float* out, const AxisTaps& taps, LaunchLog& log) {
    if (const int radius = largestRadius(taps); radius <= 4)
        launchTiles<4>(in, out, taps, log);
    else if (radius <= 6)
        launchTiles<6>(in, out, taps, log);
    else
        launchTiles<maxRadius>(in, out, taps, log);
}

} // namespace systole::gpu
