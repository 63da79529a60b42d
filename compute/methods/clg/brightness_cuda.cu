// The brightness match on the device: the counterpart of brightness.cpp.
#include "compute/methods/clg/steps_cuda.cuh"

namespace systole::clg {
namespace {

using gpu::Column;
using gpu::GridSum;

constexpr int lanes = 32, cellsPerBlock = 4, planesPerThread = 4;

__device__ float laneSum(float value) {
    for (int lane = lanes / 2; lane > 0; lane /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, lane);
    return value;
}

__device__ bool isIdle(const BrightnessStep& s) {
    return s.onlyIfBefore && !(s.state->brightness > 0);
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
            const std::size_t i = s.fixed.offset(x0 + n % nx, y0 + n / nx % ny, z0 + n / nx / ny);
            const float fixed = s.fixed.data[i], warped = s.warped[i], inside = s.inside[i];
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
        s.state->matchedResidual = total.x;
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
            static_cast<float>(brightnessShare(total.x, s.state->matchedResidual, s.shares));
        s.state->brightness = share > s.state->brightness ? share : s.state->brightness;
    }
}

__global__ void applyKernel(const __grid_constant__ BrightnessStep s, GridSum room) {
    const float share = s.state->brightness;
    if (!(share > 0))
        return;
    const Column c = gpu::columnOf(s.cells.volume, planesPerThread);
    float squared = 0, count = 0;
    for (int z = c.begin; z < (c.inGrid ? c.end : c.begin); ++z) {
        const std::size_t i = s.fixed.offset(c.x, c.y, z);
        const float value =
            matched(s.cells, s.scratch.coefficients, share, c.x, c.y, z, s.warped[i]);
        s.warped[i] = value;
        if (s.findEpsilon && c.y % rowStep == 0) {
            const float difference = value - s.fixed.data[i];
            squared += s.inside[i] * difference * difference;
            count += s.inside[i];
        }
    }
    double2 total;
    if (s.findEpsilon &&
        gpu::gridSum({static_cast<double>(squared), static_cast<double>(count)}, room, total))
        s.state->epsilon = epsilonOf(total.x, total.y);
}

} // namespace

void matchBrightness(const BrightnessStep& step, const GridSum& sum, LaunchLog& log) {
    const std::size_t cells = step.cells.count.voxels();
    const auto voxels = static_cast<double>(step.fixed.voxels());
    const auto blocks =
        static_cast<unsigned>(gpu::divideUp(static_cast<int>(cells), cellsPerBlock));
    log.launch({"brightness of cells", step.onlyIfBefore ? 0 : 12 * voxels}, sumCellsKernel,
               {dim3(blocks), dim3(lanes, cellsPerBlock)}, step, sum);
    log.launch({"brightness match", 28.0 * static_cast<double>(cells)}, coefficientsKernel,
               gpu::threadsOver(cells), step, sum);
    // Brightness that hasn't changed leaves the frame as it is: no bytes are counted for that.
    log.launch({"apply brightness"}, applyKernel,
               gpu::columnsOver(step.fixed.size, planesPerThread), step, sum);
}

} // namespace systole::clg
