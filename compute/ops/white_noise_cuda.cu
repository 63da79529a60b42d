#include "compute/ops/white_noise.h"
#include "compute/ops/white_noise_cuda.cuh"

#include <algorithm>

namespace systole::gpu {
namespace {

constexpr int threads = 256;
constexpr unsigned maxBlocks = 256;

/// Voxels along z per thread; the thread reuses the two planes that it computed before.
constexpr int part = 8;

__global__ void whiteNoiseKernel(const float* __restrict__ image, Size3 size, float factor,
                                 GridSum room, float* out) {
    const WhiteNoiseFilter filter(size);
    const auto nx = static_cast<unsigned>(size.x), plane = nx * static_cast<unsigned>(size.y);
    const std::size_t parts =
        static_cast<std::size_t>(plane) * static_cast<std::size_t>(divideUp(size.z, part));
    double2 sum{0, 0};
    for (std::size_t n = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; n < parts;
         n += gridDim.x * static_cast<std::size_t>(blockDim.x)) {
        const auto column = static_cast<unsigned>(n % plane);
        if (!filter.inside(static_cast<int>(column % nx), static_cast<int>(column / nx), 1))
            continue;
        const int lowest = filter.stride[2] == 0 ? 0 : 1;
        const int first = static_cast<int>(n / plane) * part;
        const int begin = max(first, lowest), end = min(first + part, size.z - lowest);
        const auto inPlane = [&](int z) {
            return filter.planeAt<true>(image, column + static_cast<std::size_t>(plane) *
                                                            static_cast<std::size_t>(z));
        };
        if (begin >= end)
            continue;
        float before = inPlane(begin - lowest), here = inPlane(begin);
        for (int z = begin; z < end; ++z) {
            const float after = inPlane(z + lowest);
            sum.x += filter.square(lowest == 0 ? after : fused(-2, here, before + after));
            before = here;
            here = after;
        }
    }
    double2 all;
    if (gridSum(sum, room, all))
        *out = factor * filter.variance(all.x);
}

} // namespace

void whiteNoise(VolumeView<const float> image, float factor, const GridSum& room, float* out,
                LaunchLog& log) {
    LaunchShape shape = threadsOver(image.voxels(), threads);
    shape.grid.x = std::min(shape.grid.x, maxBlocks);
    log.launch({"white noise", 4.0 * static_cast<double>(image.voxels())}, whiteNoiseKernel, shape,
               image.data, image.size, factor, room, out);
}

} // namespace systole::gpu
