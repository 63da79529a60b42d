// The gain field on the device: the counterpart of gain_field.cpp.
#include "compute/methods/clg/match_cuda.cuh"

namespace systole::clg {
namespace {

/// Central differences of both frames' mean, zero at the border; the difference of the frames.
__device__ Gradient gradientAt(const GainStep& s, int x, int y, int z) {
    const VolumeView<const float> fixed = s.frames.fixed;
    const std::size_t i = fixed.offset(x, y, z);
    const auto along = [&](std::size_t step, int position, int n, int axis) {
        if (position == 0 || position == n - 1)
            return 0.0f;
        return s.factor[axis] * (fixed.data[i + step] - fixed.data[i - step] +
                                 s.frames.warped[i + step] - s.frames.warped[i - step]);
    };
    const auto row = static_cast<std::size_t>(fixed.size.x);
    return {along(1, x, fixed.size.x, 0), along(row, y, fixed.size.y, 1),
            along(row * static_cast<std::size_t>(fixed.size.y), z, fixed.size.z, 2),
            s.frames.warped[i] - fixed.data[i]};
}

/// One warp per cell: its sums.
__global__ void sumCellsKernel(const __grid_constant__ GainStep s) {
    const BrightnessCells& cells = s.cells;
    const int cell = cellOfWarp();
    if (cell >= static_cast<int>(cells.count.voxels()))
        return;
    const float epsilon = s.frames.state->epsilon;
    GainSums sum{};
    forVoxelsOfLane(cells, cell, [&](int x, int y, int z) {
        const std::size_t i = s.frames.fixed.offset(x, y, z);
        sum.add(GainSums::voxel(gradientAt(s, x, y, z), s.frames.warped[i], s.frames.inside[i],
                                epsilon),
                1);
    });
#pragma unroll
    for (int k = 0; k < GainSums::values; ++k)
        sum.of[k] = laneSum(sum.of[k]);
    if (threadIdx.x == 0)
        s.scratch.sums[cell] = sum;
}

/// One thread per cell: its coefficients.
__global__ void coefficientsKernel(const __grid_constant__ GainStep s) {
    const Size3 count = s.cells.count;
    const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (cell >= static_cast<int>(count.voxels()))
        return;
    const VolumeView<const GainSums> sums(s.scratch.sums, count);
    s.scratch.coefficients[cell] = gainCoefficients(
        aroundCell(count, cell % count.x, cell / count.x % count.y, cell / count.x / count.y,
                   [&](int x, int y, int z) { return sums(x, y, z); }));
}

struct ApplyGain {
    BrightnessCells cells;
    const BrightnessCoefficients* coefficients;
    MatchedFrames frames;

    __device__ static bool applies() { return true; }
    __device__ float operator()(int x, int y, int z, std::size_t i) const {
        float& value = frames.warped[i];
        value = matched(cells, coefficients, 1, x, y, z, value);
        return value - frames.fixed.data[i];
    }
};

} // namespace

void fitGain(const GainStep& step, const gpu::GridSum& sum, LaunchLog& log) {
    const std::size_t cells = step.cells.count.voxels();
    const auto voxels = static_cast<double>(step.frames.fixed.voxels());
    log.launch({"gain of cells", 12 * voxels}, sumCellsKernel, warpsOver(step.cells), step);
    log.launch({"gain field", 96.0 * static_cast<double>(cells)}, coefficientsKernel,
               gpu::threadsOver(cells), step);
    const ApplyGain apply{step.cells, step.scratch.coefficients, step.frames};
    log.launch({"apply gain", 16 * voxels}, matchKernel<ApplyGain>,
               gpu::columnsOver(step.frames.fixed.size, matchedPlanes), apply, step.frames, sum);
}

} // namespace systole::clg
