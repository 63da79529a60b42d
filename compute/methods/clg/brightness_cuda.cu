// The brightness match on the device: the counterpart of brightness.cpp.
#include "compute/methods/clg/match_cuda.cuh"

namespace systole::clg {
namespace {

using gpu::GridSum;

constexpr int lanes = 32, cellsPerBlock = 4;

__device__ bool isIdle(const BrightnessStep& s) {
    return s.onlyIfBefore && !(s.frames.state->brightness > 0);
}

/// One warp per cell: its sums; state->matchedResidual becomes the squared residual.
__global__ void sumCellsKernel(const __grid_constant__ BrightnessStep s, GridSum room) {
    if (isIdle(s))
        return;
    const BrightnessCells& cells = s.cells;
    const int cell = static_cast<int>(blockIdx.x) * cellsPerBlock + static_cast<int>(threadIdx.y);
    float residual = 0;
    if (cell < static_cast<int>(cells.count.voxels())) {
        const int x0 = cell % cells.count.x * cells.side[0];
        const int y0 = cell / cells.count.x % cells.count.y * cells.side[1];
        const int z0 = cell / cells.count.x / cells.count.y * cells.side[2];
        const int nx = min(cells.side[0], cells.volume.x - x0);
        const int ny = min(cells.side[1], cells.volume.y - y0);
        const int nz = min(cells.side[2], cells.volume.z - z0);
        BrightnessSums sum{};
        for (int n = static_cast<int>(threadIdx.x); n < nx * ny * nz; n += lanes) {
            const std::size_t i =
                s.frames.fixed.offset(x0 + n % nx, y0 + n / nx % ny, z0 + n / nx / ny);
            const float fixed = s.frames.fixed.data[i], warped = s.frames.warped[i],
                        inside = s.frames.inside[i];
            sum.add({1, fixed, warped, fixed * fixed, warped * warped}, inside);
            residual += inside * (warped - fixed) * (warped - fixed);
        }
        sum = {laneSum(sum.voxels), laneSum(sum.fixed), laneSum(sum.warped),
               laneSum(sum.fixedSquared), laneSum(sum.warpedSquared)};
        if (threadIdx.x == 0)
            s.scratch.sums[cell] = sum;
    }
    double2 total;
    if (gpu::gridSum({static_cast<double>(residual), 0}, room, total))
        s.frames.state->matchedResidual = total.x;
}

/// One thread per cell: its coefficients; state->brightness becomes how far they are applied.
__global__ void coefficientsKernel(const __grid_constant__ BrightnessStep s, GridSum room) {
    if (isIdle(s))
        return;
    const Size3 count = s.cells.count;
    const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    double ofMeans = 0;
    if (cell < static_cast<int>(count.voxels())) {
        const VolumeView<const BrightnessSums> sums(s.scratch.sums, count);
        const BrightnessSums around =
            aroundCell(count, cell % count.x, cell / count.x % count.y, cell / count.x / count.y,
                       [&](int x, int y, int z) { return sums(x, y, z); });
        s.scratch.coefficients[cell] =
            brightnessCoefficients(around, [](float value) { return sqrtf(value); });
        ofMeans = static_cast<double>(meanPart(s.scratch.sums[cell].voxels, around));
    }
    double2 total;
    if (gpu::gridSum({ofMeans, 0}, room, total)) {
        const auto share =
            static_cast<float>(brightnessShare(total.x, s.frames.state->matchedResidual, s.shares));
        s.frames.state->brightness =
            share > s.frames.state->brightness ? share : s.frames.state->brightness;
    }
}

/// The values of cells' coefficients, as far as state->brightness tells.
struct MatchCells {
    BrightnessCells cells;
    const BrightnessCoefficients* coefficients;
    MatchedFrames frames;

    __device__ bool applies() const { return frames.state->brightness > 0; }
    __device__ float operator()(int x, int y, int z, std::size_t i) const {
        float& value = frames.warped[i];
        value = matched(cells, coefficients, frames.state->brightness, x, y, z, value);
        return value - frames.fixed.data[i];
    }
};

} // namespace

void matchBrightness(const BrightnessStep& step, const GridSum& sum, LaunchLog& log) {
    const std::size_t cells = step.cells.count.voxels();
    const auto voxels = static_cast<double>(step.frames.fixed.voxels());
    const auto blocks =
        static_cast<unsigned>(gpu::divideUp(static_cast<int>(cells), cellsPerBlock));
    log.launch({"brightness of cells", step.onlyIfBefore ? 0 : 12 * voxels}, sumCellsKernel,
               {dim3(blocks), dim3(lanes, cellsPerBlock)}, step, sum);
    log.launch({"brightness match", 28.0 * static_cast<double>(cells)}, coefficientsKernel,
               gpu::threadsOver(cells), step, sum);
    if (!step.apply)
        return;
    // Brightness that hasn't changed leaves the frame as it is: no bytes are counted for that.
    const MatchCells match{step.cells, step.scratch.coefficients, step.frames};
    log.launch({"apply brightness"}, matchKernel<MatchCells>,
               gpu::columnsOver(step.frames.fixed.size, matchedPlanes), match, step.frames, sum);
}

} // namespace systole::clg
