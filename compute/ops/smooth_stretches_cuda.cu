// The Gaussian of volumes with too few rows to fill a device by marching along them: a thread
// smooths a stretch of voxels beside each other from shared memory, x and y in one kernel, z in
// another.
#include "compute/cuda/early_launch.cuh"
#include "compute/ops/smooth_variants.cuh"

#include <algorithm>
#include <cuda_pipeline.h>

namespace systole::gpu {
namespace {

constexpr int width = 32;   ///< columns of a tile
constexpr int stretch = 8;  ///< values that a thread smooths
constexpr int maxPart = 80; ///< max length of an axis that a block processes
constexpr int threadsOfTile = 256;
constexpr const char* name = "smooth/stretches";

/// Kernels are built for these radii.
constexpr int stretchedRadii[] = {6, 9, 12, 18, 24};
constexpr int maxRadius = 24;

/// The part of an axis that a block has: whole stretches.
int partOf(int length) {
    const int parts = divideUp(length, maxPart);
    return divideUp(divideUp(length, parts), stretch) * stretch;
}

/// Shared memory for tiles of `height` rows: rows with their halo, and those rows smoothed along x.
/// Rows have odd lengths, so that columns lie in different banks.
template <int R>
struct PlaneRoom {
    static constexpr int row = width + 2 * R + 1, smoothedRow = width + 1;

    static constexpr int rows(int height) { return height + 2 * R; }
    static constexpr std::size_t bytes(int height) {
        return sizeof(float) * static_cast<std::size_t>(rows(height) * (row + smoothedRow));
    }
};

/// A block smooths `height` rows of 32 voxels of a plane along x and y.
template <int R>
__global__ void __launch_bounds__(threadsOfTile)
    smoothPlaneStretches(const float* __restrict__ in, float* __restrict__ out, Size3 size,
                         int height, const __grid_constant__ Taps alongX,
                         const __grid_constant__ Taps alongY, const int* skip) {
    waitForKernelBefore();
    if (isSet(skip))
        return;
    using Room = PlaneRoom<R>;
    extern __shared__ float read[];
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
    const int x0 = width * static_cast<int>(blockIdx.y), y0 = height * static_cast<int>(blockIdx.z);
    // Rows of the tile, its halo included, that the grid has.
    const int first = max(y0 - R, 0), rows = min(y0 + height + R, size.y) - first,
              before = first - (y0 - R);
    float* const smoothed = read + Room::row * Room::rows(height);
    const auto nx = static_cast<std::size_t>(size.x);
    const std::size_t plane = blockIdx.x * nx * static_cast<std::size_t>(size.y);
    for (int row = thread / 32; row < rows; row += threadsOfTile / 32) {
        const float* const from = in + plane + nx * static_cast<std::size_t>(first + row);
        for (int k = lane; k < width + 2 * R; k += 32)
            __pipeline_memcpy_async(read + Room::row * row + k,
                                    from + clampedIndex(x0 + k - R, size.x), sizeof(float));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int task = thread; task < rows * (width / stretch); task += threadsOfTile) {
        // Threads beside each other have rows beside each other.
        const int row = task % rows, x = task / rows * stretch;
        const float* const from = read + Room::row * row + x + R;
        float* const to = smoothed + Room::smoothedRow * (before + row) + x;
        smoothStretch<R, stretch, true>(
            alongX, [&](int k) { return from[k]; }, [&](int n, float sum) { to[n] = sum; });
    }
    __syncthreads();
    // Beyond the border the nearest row is repeated.
    for (int row = thread / 32; row < Room::rows(height); row += threadsOfTile / 32) {
        const int nearest = before + clampedIndex(row - before, rows);
        if (nearest != row)
            smoothed[Room::smoothedRow * row + lane] = smoothed[Room::smoothedRow * nearest + lane];
    }
    __syncthreads();
    for (int task = thread; task < width * (height / stretch); task += threadsOfTile) {
        const int x = task % width, y = task / width * stretch;
        const float* const from = smoothed + Room::smoothedRow * (y + R) + x;
        float* const to =
            out + plane + nx * static_cast<std::size_t>(y0 + y) + static_cast<std::size_t>(x0 + x);
        smoothStretch<R, stretch, false>(
            alongY, [&](int k) { return from[Room::smoothedRow * k]; },
            [&](int n, float sum) {
                if (x0 + x < size.x && y0 + y + n < size.y)
                    to[nx * static_cast<std::size_t>(n)] = sum;
            });
    }
}

/// A block smooths 32 columns along z, `depth` planes of them; it has a thread per stretch.
template <int R>
__global__ void __launch_bounds__(width* maxPart / stretch)
    smoothColumnStretches(const float* __restrict__ in, float* __restrict__ out, Size3 size,
                          const __grid_constant__ Taps taps, const int* skip) {
    waitForKernelBefore();
    if (isSet(skip))
        return;
    extern __shared__ float read[];
    const int lane = static_cast<int>(threadIdx.x), depth = stretch * static_cast<int>(blockDim.y);
    const int z0 = depth * static_cast<int>(blockIdx.y);
    const unsigned plane = static_cast<unsigned>(size.x) * static_cast<unsigned>(size.y),
                   blocks = (plane + width - 1) / width;
    const unsigned column = blockIdx.x % blocks * width + threadIdx.x;
    const std::size_t volume = blockIdx.x / blocks * size.voxels();
    const float* const from = in + volume + min(column, plane - 1);
    for (int k = static_cast<int>(threadIdx.y); k < depth + 2 * R;
         k += static_cast<int>(blockDim.y))
        __pipeline_memcpy_async(read + width * k + lane,
                                from +
                                    static_cast<std::size_t>(plane) *
                                        static_cast<std::size_t>(clampedIndex(z0 + k - R, size.z)),
                                sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    const int z = stretch * static_cast<int>(threadIdx.y);
    const float* const here = read + width * (z + R) + lane;
    smoothStretch<R, stretch, false>(
        taps, [&](int k) { return here[width * k]; },
        [&](int n, float sum) {
            if (column < plane && z0 + z + n < size.z)
                out[volume + column +
                    static_cast<std::size_t>(plane) * static_cast<std::size_t>(z0 + z + n)] = sum;
        });
}

template <int R>
void launchStretches(const VolumeStack& v, const AxisTaps& taps, float* scratch, const int* skip,
                     LaunchLog& log) {
    const Size3 size = v.size;
    const auto values = static_cast<double>(v.count) * static_cast<double>(v.volume());
    const double tapsOfAll = 2 * R + 1;
    const int height = partOf(size.y), depth = partOf(size.z);
    const LaunchShape tiles{dim3(static_cast<unsigned>(v.count * size.z),
                                 static_cast<unsigned>(divideUp(size.x, width)),
                                 static_cast<unsigned>(divideUp(size.y, height))),
                            dim3(threadsOfTile), PlaneRoom<R>::bytes(height)};
    const auto planes = smoothPlaneStretches<R>;
    // The most of any height: set for all contexts of the process, which may be launching it.
    allowShared(planes, name, {{}, {}, PlaneRoom<R>::bytes(maxPart)});
    launchEarly(log, {name, 8 * values, 4 * tapsOfAll * values}, planes, tiles, v.data, scratch,
                size, height, paddedTo(R, taps.along[0]), paddedTo(R, taps.along[1]), skip);
    const LaunchShape columns{
        dim3(static_cast<unsigned>(v.count * divideUp(size.x * size.y, width)),
             static_cast<unsigned>(divideUp(size.z, depth))),
        dim3(width, static_cast<unsigned>(depth / stretch)),
        sizeof(float) * static_cast<std::size_t>(width * (depth + 2 * R))};
    launchEarly(log, {name, 8 * values, 2 * tapsOfAll * values}, smoothColumnStretches<R>, columns,
                scratch, v.data, size, paddedTo(R, taps.along[2]), skip);
}

} // namespace

bool fitsStretches(const AxisTaps& taps) { return largestRadius(taps) <= maxRadius; }

void smoothStretches(const VolumeStack& v, const AxisTaps& taps, float* scratch, const int* skip,
                     LaunchLog& log) {
    const int radius = largestRadius(taps);
    if (radius <= stretchedRadii[0])
        launchStretches<stretchedRadii[0]>(v, taps, scratch, skip, log);
    else if (radius <= stretchedRadii[1])
        launchStretches<stretchedRadii[1]>(v, taps, scratch, skip, log);
    else if (radius <= stretchedRadii[2])
        launchStretches<stretchedRadii[2]>(v, taps, scratch, skip, log);
    else if (radius <= stretchedRadii[3])
        launchStretches<stretchedRadii[3]>(v, taps, scratch, skip, log);
    else
        launchStretches<stretchedRadii[4]>(v, taps, scratch, skip, log);
}

} // namespace systole::gpu
