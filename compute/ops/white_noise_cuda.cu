#include "compute/ops/white_noise.h"
#include "compute/ops/white_noise_cuda.cuh"

#include <algorithm>

namespace systole::gpu {
namespace {

constexpr int threads = 256;
constexpr unsigned mostBlocks = 256;

__global__ void whiteNoiseKernel(const float* image, Size3 size, float factor, GridSum room,
                                 float* out) {
    const WhiteNoiseFilter filter(size);
    const std::size_t n = size.voxels();
    double2 sum{0, 0};
    for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < n;
         i += gridDim.x * static_cast<std::size_t>(blockDim.x)) {
        const auto nx = static_cast<std::size_t>(size.x), ny = static_cast<std::size_t>(size.y);
        const std::size_t row = i / nx;
        if (filter.inside(static_cast<int>(i % nx), static_cast<int>(row % ny),
                          static_cast<int>(row / ny)))
            sum.x += filter.squareAt<true>(image, i);
    }
    double2 all;
    if (gridSum(sum, room, all))
        *out = factor * filter.variance(all.x);
}

} // namespace

void whiteNoise(VolumeView<const float> image, float factor, const GridSum& room, float* out,
                LaunchLog& log) {
    LaunchShape shape = threadsOver(image.voxels(), threads);
    shape.grid.x = std::min(shape.grid.x, mostBlocks);
    log.launch({"white noise", 4.0 * static_cast<double>(image.voxels())}, whiteNoiseKernel, shape,
               image.data, image.size, factor, room, out);
}

} // namespace systole::gpu
