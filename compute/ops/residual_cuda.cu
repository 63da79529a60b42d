#include "compute/cuda/kernel_support.cuh"
#include "compute/ops/residual.h"
#include "compute/ops/sample.h"

namespace systole {
namespace {

constexpr int planesPerThread = 4;

struct Sums {
    double2 squares; ///< weighted squares before and after
    double inside;   ///< sum of the weights
};

/// Work per voxel: position and its weight, two weighted squares, conversions to double.
constexpr KernelCost residualCost{
    .add = 3 + 6 + 2, .multiply = 4, .fusedMultiplyAdd = 1, .integer = 45, .globalLoads = 6};

__global__ void residualKernel(VolumeView<const float> fixed, VolumeView<const float> moving,
                               VolumeView<const float> warped, FieldView<const float> field,
                               Sums* sums, gpu::GridSum ofSquares, gpu::GridSum ofWeights) {
    const Size3 size = fixed.size;
    const gpu::Column c = gpu::columnOf(size, planesPerThread);
    double2 squares{0, 0}, weights{0, 0};
    for (int z = c.begin; c.inGrid && z < c.end; ++z) {
        const std::size_t i = fixed.offset(c.x, c.y, z);
        const float weight =
            insideWeight(static_cast<float>(c.x) + field.u[i], static_cast<float>(c.y) + field.v[i],
                         static_cast<float>(z) + field.w[i], size);
        const float still = moving.data[i] - fixed.data[i];
        const float displaced = warped.data[i] - fixed.data[i];
        squares.x += static_cast<double>(weight * still * still);
        squares.y += static_cast<double>(weight * displaced * displaced);
        weights.x += static_cast<double>(weight);
    }
    double2 total;
    if (gpu::gridSum(squares, ofSquares, total))
        sums->squares = total;
    __syncthreads(); // both sums use the same shared memory
    if (gpu::gridSum(weights, ofWeights, total))
        sums->inside = total.x;
}

} // namespace

ResidualChange residualChangeOnDevice(VolumeView<const float> fixed, VolumeView<const float> moving,
                                      VolumeView<const float> warped, FieldView<const float> field,
                                      const ExecContext& ctx) {
    const char* const owner = "residual of a pair";
    CudaContext& cuda = *ctx.cuda;
    Buffer<Sums> sums = cuda.devicePool().acquire<Sums>(1, owner);
    Buffer<unsigned> arrived = cuda.devicePool().acquire<unsigned>(2, owner);
    cuda.zero(arrived.data(), 2 * sizeof(unsigned), CudaStream::Compute);
    Buffer<double2> perBlock;
    loggedCall(ctx, "warp", [&](LaunchLog& log) {
        const char* const name = "residual";
        const LaunchShape shape = gpu::columnsOver(fixed.size, planesPerThread, log, name);
        const std::size_t blocks = gpu::blocksOf(shape);
        perBlock = cuda.devicePool().acquire<double2>(2 * blocks, owner);
        const auto voxels = static_cast<double>(fixed.voxels());
        log.launch({name, 24 * voxels, 16 * voxels, gpu::perThread(shape, voxels, residualCost)},
                   residualKernel, shape, fixed, moving, warped, field, sums.data(),
                   gpu::GridSum{perBlock.data(), arrived.data()},
                   gpu::GridSum{perBlock.data() + blocks, arrived.data() + 1});
    });
    Buffer<Sums> onHost = cuda.pinnedPool().acquire<Sums>(1, owner);
    cuda.download(sums.data(), onHost.data(), sizeof(Sums), CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    const Sums& found = *onHost.data();
    if (!(found.inside > 0))
        return {};
    return {found.squares.x / found.inside, found.squares.y / found.inside};
}

} // namespace systole
