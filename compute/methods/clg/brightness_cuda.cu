// The brightness match on the device: the counterpart of brightness.cpp.
#include "compute/cuda/early_launch.cuh"
#include "compute/methods/clg/match_cuda.cuh"

namespace systole::clg {
namespace {

using gpu::Column;
using gpu::GridSum;

constexpr int planesPerThread = 8;

__device__ bool isIdle(const BrightnessStep& s) {
    return s.onlyIfBefore && !(s.frames.state->brightness > 0);
}

/// One warp per cell: its sums; state->matchedResidual becomes the squared residual.
__global__ void sumCellsKernel(const __grid_constant__ BrightnessStep s, GridSum room) {
    gpu::waitForKernelBefore();
    if (isIdle(s))
        return;
    const BrightnessCells& cells = s.cells;
    const int cell = cellOfWarp();
    float residual = 0;
    if (cell < static_cast<int>(cells.count.voxels())) {
        BrightnessSums sum{};
        forVoxelsOfLane(cells, cell, [&](int x, int y, int z) {
            const std::size_t i = s.frames.fixed.offset(x, y, z);
            const float fixed = s.frames.fixed.data[i], warped = s.frames.warped[i],
                        inside = s.frames.inside[i];
            sum.add({1, fixed, warped, fixed * fixed, warped * warped}, inside);
            residual += inside * (warped - fixed) * (warped - fixed);
        });
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
    gpu::waitForKernelBefore();
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

/// matched() for the voxels of a column: what is interpolated along x and y lasts from plane to
/// plane of cells.
class MatchedColumn {
public:
    __device__ MatchedColumn(const BrightnessStep& s, int x, int y)
        : cells_(s.cells)
        , coefficients_(s.scratch.coefficients)
        , x_(axisSample(s.cells.position(0, x), s.cells.count.x))
        , y_(axisSample(s.cells.position(1, y), s.cells.count.y)) {}

    __device__ float at(int z, float share, float value) {
        const AxisSample along = axisSample(cells_.position(2, z), cells_.count.z);
        if (along.low != low_) {
            low_ = along.low;
            below_ = inPlane(along.low);
            above_ = inPlane(along.high);
        }
        const BrightnessCoefficients c = mix(below_, above_, along.part);
        return value + share * (c.gain * value + c.offset - value);
    }

private:
    static __device__ BrightnessCoefficients mix(const BrightnessCoefficients& a,
                                                 const BrightnessCoefficients& b, float part) {
        return {a.gain + part * (b.gain - a.gain), a.offset + part * (b.offset - a.offset)};
    }
    __device__ BrightnessCoefficients inPlane(int z) const {
        const VolumeView<const BrightnessCoefficients> c(coefficients_, cells_.count);
        return mix(mix(c(x_.low, y_.low, z), c(x_.high, y_.low, z), x_.part),
                   mix(c(x_.low, y_.high, z), c(x_.high, y_.high, z), x_.part), y_.part);
    }

    const BrightnessCells& cells_;
    const BrightnessCoefficients* coefficients_;
    AxisSample x_, y_;
    int low_ = -1;
    BrightnessCoefficients below_{}, above_{};
};

__global__ void applyKernel(const __grid_constant__ BrightnessStep s, int planes, GridSum room) {
    gpu::waitForKernelBefore();
    const float share = s.frames.state->brightness;
    if (!(share > 0))
        return;
    const Column c = gpu::columnOf(s.cells.volume, planes);
    float squared = 0, count = 0;
    if (c.inGrid) {
        MatchedColumn column(s, c.x, c.y);
        for (int z = c.begin; z < c.end; ++z) {
            const std::size_t i = s.frames.fixed.offset(c.x, c.y, z);
            const float value = column.at(z, share, s.frames.warped[i]);
            s.frames.warped[i] = value;
            if (s.frames.findEpsilon && c.y % rowStep == 0) {
                const float difference = value - s.frames.fixed.data[i];
                squared += s.frames.inside[i] * difference * difference;
                count += s.frames.inside[i];
            }
        }
    }
    double2 total;
    if (s.frames.findEpsilon &&
        gpu::gridSum({static_cast<double>(squared), static_cast<double>(count)}, room, total))
        s.frames.state->epsilon = epsilonOf(total.x, total.y);
}

} // namespace

void matchBrightness(const BrightnessStep& step, const GridSum& sum, LaunchLog& log) {
    const std::size_t cells = step.cells.count.voxels();
    const auto voxels = static_cast<double>(step.frames.fixed.voxels());
    gpu::launchEarly(log, {"brightness of cells", step.onlyIfBefore ? 0 : 12 * voxels},
                     sumCellsKernel, warpsOver(step.cells), step, sum);
    gpu::launchEarly(log, {"brightness match", 28.0 * static_cast<double>(cells)},
                     coefficientsKernel, gpu::threadsOver(cells), step, sum);
    if (!step.apply)
        return;
    // Brightness that hasn't changed leaves the frame as it is: no bytes are counted for that.
    const int planes = gpu::planesFor(step.frames.fixed.size, planesPerThread);
    gpu::launchEarly(log, {"apply brightness"}, applyKernel,
                     gpu::columnsOver(step.frames.fixed.size, planes), step, planes, sum);
}

} // namespace systole::clg
