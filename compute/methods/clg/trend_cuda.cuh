// Part of the motion that smoothness leaves free, on the device: the trend (trend.h), and on the
// finest level a share of the motion that the level began with.
#pragma once

#include "compute/cuda/side_branch.cuh"
#include "compute/methods/clg/level_cuda.cuh"

#include <algorithm>
#include <vector>

namespace systole::clg {

/// The trend of a warp. With motion on half the grid it has memory of its own: it is found at the
/// same time as the warp and the tensor, and the smoothed tensor may occupy the field that is free
/// until the step is composed. Without half the grid the trend takes that field.
class TrendOnDevice {
public:
    /// `levels` must outlive the trend.
    void acquire(const ClgParameters& p, const std::vector<LevelBuffers>& levels,
                 CudaContext& cuda) {
        levels_ = &levels;
        variant_ = p.variants.smooth;
        startShare_ = static_cast<float>(p.startShare());
        std::vector<PyramidLevel> pyramid;
        for (const LevelBuffers& b : levels)
            pyramid.push_back(b.grid);
        grids_ = trendsOf(p, levels);
        if (const std::size_t floats = floatsOf(p, pyramid, grids_))
            memory_ = cuda.devicePool().acquire<float>(floats, "trend");
    }
    static std::size_t bytes(const ClgParameters& p, const std::vector<PyramidLevel>& levels) {
        return sizeof(float) * floatsOf(p, levels, trendGrids(levels, trendWidth(p)));
    }

    /// Whether some of the motion is left free.
    bool exists(const Warp& w) const { return !grids_.empty() || !w.b.start.empty(); }
    /// Whether find() may run from the warp's beginning on; else after the tensor was smoothed.
    bool isBeside() const { return !memory_.empty(); }

    /// The trend that find() wrote last, in the solver's unit, on the grid of the motion.
    FieldView<float> of(const Warp& w) {
        return isBeside() ? FieldView<float>(memory_.data(), w.m.size()) : w.other;
    }

    void find(const Warp& w, LaunchLog& log) {
        const LaunchLog::Stage stage(log, "smooth");
        if (!grids_.empty())
            findTrend(w, log);
        if (!w.b.start.empty())
            blend(w.b.start, startShare_, grids_.empty(), of(w), log);
    }

private:
    void findTrend(const Warp& w, LaunchLog& log) {
        const TrendGrid& grid = grids_[w.m.level];
        const FieldView<float> trend = of(w);
        const Size3 size = (*levels_)[grid.level].size();
        const std::size_t values = 3 * size.voxels();
        // The warped frame isn't needed any more where the trend isn't found beside it.
        float* const behind =
            isBeside() ? trend.u + aligned(3 * w.m.size().voxels()) : w.b.warped.data;
        if (grid.level == w.m.level) {
            cudaCheck(cudaMemcpyAsync(trend.u, w.m.total.u, values * sizeof(float),
                                      cudaMemcpyDeviceToDevice, log.stream()),
                      "copying the motion");
            gpu::smoothStack(variant_, {trend.u, 3, size}, grid.taps, {behind, 2 * size.voxels()},
                             log);
            return;
        }
        const FieldView<float> on(behind, size);
        gpu::resampleField(w.field, gpu::downsampling(grid.factor), on, {}, log);
        const gpu::VolumeStack stack{on.u, 3, size};
        float* mean = on.u;
        if (isBeside())
            mean = gpu::smoothedStack(variant_, stack, grid.taps,
                                      {behind + aligned(values), values}, log);
        else // not where it is brought back to
            gpu::smoothStack(variant_, stack, grid.taps, {trend.u, values}, log);
        gpu::FieldResampling back = gpu::upsampling(grid.factor);
        for (std::size_t axis = 0; axis < 3; ++axis)
            back.gain[axis] *= unitScale(w.m.scale()).fromVoxels[axis];
        gpu::resampleField(FieldView<const float>(mean, size), back, trend, {}, log);
    }

    /// Size in floats of the trend's memory: the trend, and behind it the field on which it is
    /// smoothed, with scratch of the same size.
    static std::size_t floatsOf(const ClgParameters& p, const std::vector<PyramidLevel>& levels,
                                const std::vector<TrendGrid>& grids) {
        const std::size_t finest = finestMotion(p, levels.size());
        if (finest == 0)
            return 0;
        std::size_t largest = p.holdsStart() ? aligned(3 * levels[finest].size.voxels()) : 0;
        for (std::size_t level = finest; level < grids.size(); ++level)
            largest =
                std::max(largest, aligned(3 * levels[level].size.voxels()) +
                                      2 * aligned(3 * levels[grids[level].level].size.voxels()));
        return largest;
    }

    const std::vector<LevelBuffers>* levels_ = nullptr;
    int variant_ = 0;
    float startShare_ = 0;
    std::vector<TrendGrid> grids_; ///< grids of each level's trend
    Buffer<float> memory_;
};

} // namespace systole::clg
