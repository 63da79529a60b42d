// Wide Gaussian smoothing on a grid of half the resolution, on the device.
#include "compute/cuda/early_launch.cuh"
#include "compute/cuda/kernel_support.cuh"
#include "compute/ops/smooth_halved_cuda.cuh"
#include "compute/ops/smooth_variants.cuh"

#include <algorithm>

namespace systole::gpu {
namespace {

constexpr int maxPlanes = 16;

/// Parts of a HalvedGrid that a kernel needs.
struct Axes {
    HalvedAxis x, y, z;
};

/// One thread per cell. `PairsX`: the cells are pairs along x, each aligned.
template <bool PairsX>
__global__ void cellMeansKernel(const float* __restrict__ in, float* __restrict__ out,
                                const __grid_constant__ Axes axes, int volumes, const int* skip) {
    waitForKernelBefore();
    if (isSet(skip))
        return;
    const HalvedAxis &ax = axes.x, &ay = axes.y, &az = axes.z;
    const Column c = columnOf({ax.coarse, ay.coarse, az.coarse * volumes}, 1);
    if (!c.inGrid)
        return;
    const int z = c.begin % az.coarse, volume = c.begin / az.coarse;
    float mean = 0;
#pragma unroll 2
    for (int k = 0; k < az.count(); ++k)
#pragma unroll 2
        for (int j = 0; j < ay.count(); ++j) {
            const int plane = volume * az.fine + az.clamped(az.first(z) + k);
            const float* const row =
                in + static_cast<std::size_t>(ax.fine) *
                         (static_cast<std::size_t>(ay.clamped(ay.first(c.y) + j)) +
                          static_cast<std::size_t>(ay.fine) * static_cast<std::size_t>(plane));
            float along = 0;
            if constexpr (PairsX) {
                const float2 pair = reinterpret_cast<const float2*>(row)[c.x];
                along = 0.5f * (pair.x + pair.y);
            } else {
                for (int i = 0; i < ax.count(); ++i)
                    along = fmaf(ax.weight(i), row[ax.clamped(ax.first(c.x) + i)], along);
            }
            mean = fmaf(ay.weight(j) * az.weight(k), along, mean);
        }
    VolumeView<float>(out, {ax.coarse, ay.coarse, az.coarse * volumes})(c.x, c.y, c.begin) = mean;
}

/// Two voxels beside each other along x, between cells along x and y.
struct Two {
    float v[2];
};

/// The cells that such a pair lies between, as offsets in a plane of cells: the same for every
/// plane. `PairsX`: neighbors share the one in the middle.
template <bool PairsX>
class PairBetween {
public:
    __device__ PairBetween(const Axes& axes, int pair, int y)
        : shareY_(axes.y.share(y))
        , row_{axes.x.coarse * axes.y.clampedCell(axes.y.lower(y)),
               axes.x.coarse * axes.y.clampedCell(axes.y.lower(y) + 1)} {
        for (int e = 0; e < 2; ++e) {
            const int x = 2 * pair + e, lower = axes.x.lower(x);
            shareX_[e] = axes.x.share(x);
            column_[2 * e] = axes.x.clampedCell(lower);
            column_[2 * e + 1] = axes.x.clampedCell(lower + 1);
        }
    }
    __device__ Two of(const float* plane) const {
        const float first = at(plane, 0), second = at(plane, 1),
                    third = PairsX ? second : at(plane, 2), fourth = at(plane, 3);
        return {{fmaf(shareX_[0], second - first, first), fmaf(shareX_[1], fourth - third, third)}};
    }

private:
    __device__ float at(const float* plane, int k) const {
        const float a = plane[row_[0] + column_[k]];
        return fmaf(shareY_, plane[row_[1] + column_[k]] - a, a);
    }

    float shareX_[2], shareY_;
    int column_[4], row_[2];
};

/// One thread per two voxels along x, marching along z between two planes of cells.
template <bool PairsX>
__global__ void interpolateKernel(const float* __restrict__ in, float* __restrict__ out,
                                  const __grid_constant__ Axes axes, int planes, const int* skip) {
    waitForKernelBefore();
    if (isSet(skip))
        return;
    const HalvedAxis &ax = axes.x, &ay = axes.y, &az = axes.z;
    const int parts = divideUp(az.fine, planes);
    const Column c = columnOf({(ax.fine + 1) / 2, ay.fine, static_cast<int>(gridDim.z)}, 1);
    if (!c.inGrid)
        return;
    const int volume = c.begin / parts, begin = c.begin % parts * planes,
              end = min(begin + planes, az.fine);
    const std::size_t ofCells =
        static_cast<std::size_t>(ax.coarse) * static_cast<std::size_t>(ay.coarse);
    const std::size_t ofVoxels =
        static_cast<std::size_t>(ax.fine) * static_cast<std::size_t>(ay.fine);
    const float* const cells = in + ofCells * static_cast<std::size_t>(az.coarse * volume);
    float* to = out + ofVoxels * static_cast<std::size_t>(az.fine * volume + begin) +
                static_cast<std::size_t>(ax.fine * c.y + 2 * c.x);
    const PairBetween<PairsX> pair(axes, c.x, c.y);
    const auto inPlane = [&](int cell) {
        return pair.of(cells + ofCells * static_cast<std::size_t>(az.clampedCell(cell)));
    };
    int lower = az.lower(begin);
    Two below = inPlane(lower), above = inPlane(lower + 1);
    for (int z = begin; z < end; ++z, to += ofVoxels) {
        if (az.lower(z) != lower) {
            lower = az.lower(z);
            below = above;
            above = inPlane(lower + 1);
        }
        const float share = az.share(z);
        const float first = fmaf(share, above.v[0] - below.v[0], below.v[0]);
        const float second = fmaf(share, above.v[1] - below.v[1], below.v[1]);
        if constexpr (PairsX) {
            *reinterpret_cast<float2*>(to) = make_float2(first, second);
        } else {
            to[0] = first;
            if (2 * c.x + 1 < ax.fine)
                to[1] = second;
        }
    }
}

} // namespace

void cellMeans(const VolumeStack& volumes, const HalvedGrid& grid, float* out, LaunchLog& log,
               const int* skip) {
    const Axes axes{grid.x, grid.y, grid.z};
    const double fine = static_cast<double>(volumes.count) * static_cast<double>(volumes.volume()),
                 coarse =
                     static_cast<double>(volumes.count) * static_cast<double>(grid.size().voxels());
    const LaunchShape perCell = columnsOver(
        {grid.x.coarse, grid.y.coarse, grid.z.coarse * volumes.count}, 1, log, "cell means");
    launchEarly(log, {"cell means", 4 * (fine + coarse), fine},
                grid.x.halved && grid.x.even ? cellMeansKernel<true> : cellMeansKernel<false>,
                perCell, volumes.data, out, axes, volumes.count, skip);
}

void smoothStackHalved(int variant, const VolumeStack& volumes, Vec3 sigma, const Scratch& scratch,
                       LaunchLog& log, const int* skip) {
    const HalvedGrid grid(volumes.size, sigma);
    if (!grid.halves())
        return smoothSoonest(variant, volumes, gaussianTapsFor(sigma), scratch, log, skip);
    const std::size_t cells = grid.size().voxels();
    if (scratch.floats < 3 * cells)
        throw ComputeError("smoothing on the device was given too little scratch");
    const AxisTaps taps = gaussianTapsFor(grid.sigma);
    const Axes axes{grid.x, grid.y, grid.z};
    // Half of the scratch for the cells, half for smoothing them.
    const int most = static_cast<int>(std::clamp<std::size_t>(
        scratch.floats / cells / 2, 1, static_cast<std::size_t>(volumes.count)));
    for (int first = 0; first < volumes.count; first += most) {
        const VolumeStack part = volumes.part(first, std::min(most, volumes.count - first));
        const VolumeStack coarse{scratch.data, part.count, grid.size()};
        const std::size_t taken = static_cast<std::size_t>(part.count) * cells;
        const double fineBytes =
                         4.0 * static_cast<double>(part.count) * static_cast<double>(part.volume()),
                     coarseBytes = 4.0 * static_cast<double>(taken);
        const bool pairs = grid.x.halved && grid.x.even;
        cellMeans(part, grid, coarse.data, log, skip);
        const Scratch rest{scratch.data + taken, scratch.floats - taken};
        const float* smoothed = coarse.data;
        if (skip)
            smoothSoonest(variant, coarse, taps, rest, log, skip);
        else
            smoothed = smoothedStack(variant, coarse, taps, rest, log);
        const int planes =
            planesFor({grid.x.fine, grid.y.fine, grid.z.fine * part.count}, maxPlanes);
        const LaunchShape perPair = columnsOver(
            {(grid.x.fine + 1) / 2, grid.y.fine, divideUp(grid.z.fine, planes) * part.count}, 1,
            log, "between cells");
        launchEarly(log, {"between cells", fineBytes + coarseBytes, 11 * fineBytes / 4},
                    pairs ? interpolateKernel<true> : interpolateKernel<false>, perPair, smoothed,
                    part.data, axes, planes, skip);
    }
}

} // namespace systole::gpu
