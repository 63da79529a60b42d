// The moving frame at displaced positions, in its variants, with the residual that the data term's
// normalisation is found from.
#include "compute/methods/clg/balance_math.h"
#include "compute/methods/clg/costs.h"
#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/ops/sample_texture.cuh"

namespace systole::clg {
namespace {

using gpu::Column;
using gpu::GridSum;

template <WarpVariant Variant>
__device__ float movingAt(const WarpStep& s, float x, float y, float z) {
    if constexpr (Variant == WarpVariant::TextureFilter) {
        return gpu::textureAt(s.texture, x, y, z);
    } else if constexpr (Variant == WarpVariant::Texture) {
        return gpu::fetchedSample(s.texture, s.moving.size, x, y, z);
    } else {
        // Through the read-only path, so that loads needn't wait for the stores before them.
        const float* const moving = s.moving.data;
        return TrilinearSample(s.moving.size, x, y, z).of([=](std::size_t i) {
            return __ldg(moving + i);
        });
    }
}

template <WarpVariant Variant>
__global__ void warpKernel(const __grid_constant__ WarpStep s, int planes, GridSum room) {
    const Size3 size = s.moving.size;
    const Column c = gpu::columnOf(size, planes);
    // Few values a thread: they are added exactly enough in single precision.
    float squared = 0, count = 0;
#pragma unroll 2
    for (int z = c.begin; z < (c.inGrid ? c.end : c.begin); ++z) {
        const std::size_t i = s.moving.offset(c.x, c.y, z);
        const float x = static_cast<float>(c.x) + __ldg(s.field.u + i),
                    y = static_cast<float>(c.y) + __ldg(s.field.v + i),
                    w = static_cast<float>(z) + __ldg(s.field.w + i);
        const float value = movingAt<Variant>(s, x, y, w);
        const float inside = liesWithin(x, y, w, size) ? 1.0f : 0.0f;
        s.warped[i] = value;
        s.inside[i] = inside;
        if (s.findEpsilon && c.y % rowStep == 0) {
            const float difference = value - __ldg(s.fixed.data + i);
            squared += inside * difference * difference;
            count += inside;
        }
    }
    const double2 sum{static_cast<double>(squared), static_cast<double>(count)};
    double2 total;
    if (s.findEpsilon && gpu::gridSum(sum, room, total)) {
        s.state->residualSquared = total.x;
        s.state->residualCount = total.y;
        s.state->epsilon = 1 + static_cast<float>(total.y > 0 ? total.x / total.y : 0);
    }
}

} // namespace

std::size_t gridSumBlocks(Size3 size) {
    // Blocks of one row of one plane are the smallest that add up.
    return gpu::blocksOf(gpu::columnsOver(size, 1, 1));
}

void warp(WarpVariant variant, const WarpStep& step, const GridSum& sum, LaunchLog& log) {
    const auto voxels = static_cast<double>(step.moving.voxels());
    const int planes = gpu::planesFor(step.moving.size, 8);
    const auto launch = [&](const char* name, auto kernel, double flops) {
        const int rows = gpu::rowsOfBlock(log, name);
        const LaunchShape shape = gpu::columnsOver(step.moving.size, planes, rows);
        const KernelCost voxel = cost::warp(variant, step.findEpsilon ? 1.0 / rowStep : 0);
        log.launch({name, (step.findEpsilon ? 26 : 24) * voxels, flops * voxels,
                    gpu::perThread(shape, voxels, voxel)},
                   kernel, shape, step, planes, sum);
    };
    switch (variant) {
    case WarpVariant::Direct:
        launch("warp/direct", warpKernel<WarpVariant::Direct>, 40);
        break;
    case WarpVariant::Texture:
        launch("warp/texture", warpKernel<WarpVariant::Texture>, 40);
        break;
    case WarpVariant::TextureFilter:
        launch("warp/texture-filter", warpKernel<WarpVariant::TextureFilter>, 10);
        break;
    }
}

} // namespace systole::clg
