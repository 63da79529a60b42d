// The brightness match on the device: the counterpart of brightness.cpp.
#include "compute/methods/clg/steps_cuda.cuh"

#include <algorithm>

namespace systole::clg {
namespace {

using gpu::Column;
using gpu::GridSum;

constexpr int planesPerThread = 8;

__device__ bool isIdle(const BrightnessStep& s) {
    return s.onlyIfBefore && !(s.frames.state->brightness > 0);
}

/// The values of a BrightnessSums.
constexpr int sumsOfCell = 5;

/// A block has a row of cells, as many as its threads along x hold: a thread adds up the voxels of
/// its x in some planes, then some the parts of each cell. state->matchedResidual becomes the
/// squared residual.
__global__ void __launch_bounds__(gpu::mostThreads)
    sumCellsKernel(const __grid_constant__ BrightnessStep s, int cellsOfBlock, GridSum room) {
    extern __shared__ float parts[]; // by sum, then plane, then x
    if (isIdle(s))
        return;
    const BrightnessCells& cells = s.cells;
    const int width = static_cast<int>(blockDim.x), slices = static_cast<int>(blockDim.y);
    const int tx = static_cast<int>(threadIdx.x), tz = static_cast<int>(threadIdx.y);
    const int thread = tx + width * tz, threads = width * slices;
    const int side = cells.side[0], firstCell = static_cast<int>(blockIdx.x) * cellsOfBlock;
    const int own = min(cellsOfBlock, cells.count.x - firstCell);
    const int cy = static_cast<int>(blockIdx.y), cz = static_cast<int>(blockIdx.z);
    const int x = firstCell * side + tx;
    const bool there = tx < own * side && x < cells.volume.x;
    BrightnessSums sum{};
    float residual = 0;
    const int endY = min((cy + 1) * cells.side[1], cells.volume.y);
    const int endZ = min((cz + 1) * cells.side[2], cells.volume.z);
    for (int z = cz * cells.side[2] + tz; z < (there ? endZ : 0); z += slices)
#pragma unroll 6
        for (int y = cy * cells.side[1]; y < endY; ++y) {
            const std::size_t i = s.frames.fixed.offset(x, y, z);
            const float fixed = s.frames.fixed.data[i], warped = s.frames.warped[i],
                        inside = s.frames.inside[i];
            sum.add({1, fixed, warped, fixed * fixed, warped * warped}, inside);
            residual += inside * (warped - fixed) * (warped - fixed);
        }
    const float of[sumsOfCell] = {sum.voxels, sum.fixed, sum.warped, sum.fixedSquared,
                                  sum.warpedSquared};
#pragma unroll
    for (int k = 0; k < sumsOfCell; ++k)
        parts[k * threads + thread] = of[k];
    __syncthreads();
    float* const out = reinterpret_cast<float*>(
        s.scratch.sums +
        VolumeView<BrightnessSums>(s.scratch.sums, cells.count).offset(firstCell, cy, cz));
    for (int i = thread; i < own * sumsOfCell; i += threads) {
        // Threads beyond the volume have added nothing.
        const float* const part = parts + i % sumsOfCell * threads + i / sumsOfCell * side;
        float all = 0;
        for (int slice = 0; slice < slices; ++slice)
            for (int k = 0; k < side; ++k)
                all += part[slice * width + k];
        out[i] = all;
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

/// As matched(), for the voxels of a column: what is interpolated along x and y lasts from plane to
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
    const BrightnessCells& cells = step.cells;
    const Size3 count = cells.count;
    const auto voxels = static_cast<double>(step.frames.fixed.voxels());
    const int cellsOfBlock = std::min(count.x, gpu::mostThreads / cells.side[0]);
    const int width = gpu::divideUp(cellsOfBlock * cells.side[0], gpu::tileX) * gpu::tileX;
    const int slices = std::min(cells.side[2], gpu::mostThreads / width);
    log.launch({"brightness of cells", step.onlyIfBefore ? 0 : 12 * voxels}, sumCellsKernel,
               {dim3(static_cast<unsigned>(gpu::divideUp(count.x, cellsOfBlock)),
                     static_cast<unsigned>(count.y), static_cast<unsigned>(count.z)),
                dim3(static_cast<unsigned>(width), static_cast<unsigned>(slices)),
                sumsOfCell * sizeof(float) * static_cast<std::size_t>(width * slices)},
               step, cellsOfBlock, sum);
    log.launch({"brightness match", 28.0 * static_cast<double>(count.voxels())}, coefficientsKernel,
               gpu::threadsOver(count.voxels()), step, sum);
    if (!step.apply)
        return;
    // Brightness that hasn't changed leaves the frame as it is: no bytes are counted for that.
    const int planes = gpu::planesFor(step.frames.fixed.size, planesPerThread);
    log.launch({"apply brightness"}, applyKernel, gpu::columnsOver(step.frames.fixed.size, planes),
               step, planes, sum);
}

} // namespace systole::clg
