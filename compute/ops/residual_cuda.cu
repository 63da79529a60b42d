#include "compute/cuda/kernel_support.cuh"
#include "compute/cuda/staged_copy.h"
#include "compute/ops/residual.h"
#include "compute/ops/sample.h"

namespace systole {
namespace {

constexpr int planesPerThread = 4;

constexpr int pairsOfSums = 4;

/// The seven sums, two by two: weight and after, fixed and moving, their squares, before.
struct Sums {
    double2 of[pairsOfSums];
};
struct Rooms {
    gpu::GridSum of[pairsOfSums];
};

/// Work per voxel: position and its weight, two weighted squares, conversions to double.
constexpr KernelCost residualCost{
    .add = 3 + 8 + 7, .multiply = 10, .fusedMultiplyAdd = 1, .integer = 45, .globalLoads = 6};

__global__ void residualKernel(VolumeView<const float> fixed, VolumeView<const float> moving,
                               VolumeView<const float> warped, FieldView<const float> field,
                               const KnownFrames known, Sums* sums,
                               const __grid_constant__ Rooms rooms) {
    const Size3 size = fixed.size;
    const gpu::Column c = gpu::columnOf(size, planesPerThread);
    const float origin = fixed.data[0];
    double2 sum[pairsOfSums] = {};
    for (int z = c.begin; c.inGrid && z < c.end; ++z) {
        const std::size_t i = fixed.offset(c.x, c.y, z);
        if (!known.at(i))
            continue;
        const float weight = insideWeight(displaced(field, i, c.x, c.y, z), size);
        const float still = moving.data[i] - fixed.data[i];
        const float moved = warped.data[i] - fixed.data[i];
        const float here = fixed.data[i] - origin, there = moving.data[i] - origin;
        sum[0].x += static_cast<double>(weight);
        sum[0].y += static_cast<double>(weight * moved * moved);
        sum[1].x += static_cast<double>(weight * here);
        sum[1].y += static_cast<double>(weight * there);
        sum[2].x += static_cast<double>(weight * here * here);
        sum[2].y += static_cast<double>(weight * there * there);
        sum[3].x += static_cast<double>(weight * still * still);
    }
#pragma unroll
    for (int pair = 0; pair < pairsOfSums; ++pair) {
        double2 total;
        if (gpu::gridSum(sum[pair], rooms.of[pair], total))
            sums->of[pair] = total;
        __syncthreads(); // all sums use the same shared memory
    }
}

} // namespace

ResidualChange residualChangeOnDevice(VolumeView<const float> fixed, VolumeView<const float> moving,
                                      VolumeView<const float> warped, FieldView<const float> field,
                                      const KnownFrames& known, const ExecContext& ctx) {
    const char* const owner = "residual of a pair";
    CudaContext& cuda = *ctx.cuda;
    Buffer<Sums> sums = cuda.devicePool().acquire<Sums>(1, owner);
    Buffer<unsigned> arrived = cuda.devicePool().acquire<unsigned>(pairsOfSums, owner);
    cuda.zero(arrived.data(), pairsOfSums * sizeof(unsigned), CudaStream::Compute);
    Buffer<double2> perBlock;
    loggedCall(ctx, "warp", [&](LaunchLog& log) {
        const char* const name = "residual";
        const LaunchShape shape = gpu::columnsOver(fixed.size, planesPerThread, log, name);
        const std::size_t blocks = gpu::blocksOf(shape);
        perBlock = cuda.devicePool().acquire<double2>(pairsOfSums * blocks, owner);
        Rooms rooms;
        for (int pair = 0; pair < pairsOfSums; ++pair)
            rooms.of[pair] = {perBlock.data() + static_cast<std::size_t>(pair) * blocks,
                              arrived.data() + pair};
        const auto voxels = static_cast<double>(fixed.voxels());
        log.launch({name, 24 * voxels, 16 * voxels, gpu::perThread(shape, voxels, residualCost)},
                   residualKernel, shape, fixed, moving, warped, field, known, sums.data(), rooms);
    });
    const Sums found = fetched(sums.data(), cuda);
    return changeOf({.inside = found.of[0].x,
                     .fixed = found.of[1].x,
                     .moving = found.of[1].y,
                     .fixedSquared = found.of[2].x,
                     .movingSquared = found.of[2].y,
                     .before = found.of[3].x,
                     .after = found.of[0].y});
}

} // namespace systole
