// Everything that CLG keeps on the device between pairs of one size: buffers, solvers, and the
// sequence of kernels.
#pragma once

#include "compute/cuda/replay.cuh"
#include "compute/cuda/workspace.h"
#include "compute/methods/clg/clg.h"
#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/ops/frame_masks_cuda.cuh"
#include "compute/ops/pyramid_cuda.cuh"

#include <functional>
#include <memory>
#include <vector>

namespace systole::clg {

inline constexpr int mostLevels = gpu::StillMarks::mostLevels;

/// What the device reports about an estimation; copied to the host once, at its end.
struct DeviceReport {
    DeviceState state[mostLevels]; ///< finest first
    double energy[mostLevels];
    int notFinite[2]; ///< 1 where the fixed or the moving frame holds non-finite values
    StillState still;
    int startHelped; ///< 1 if the motion to start from was used
};

/// Device buffers, listed when constructed, to be acquired before use. Those of the fields, the
/// warped frame and the tensor have the finest level's size; coarser levels use their beginnings.
class PlanBuffers {
public:
    PlanBuffers(const PlanShape& shape, const ClgParameters& p);
    PlanBuffers(const PlanBuffers&) = delete; // the pyramid refers to the workspace
    PlanBuffers& operator=(const PlanBuffers&) = delete;

    /// Size in bytes of the memory that acquire() takes.
    std::size_t bytes() const { return space_.bytes(); }
    /// Throws OutOfMemory.
    void acquire(BufferPool& pool) { space_.acquire(pool); }

    const gpu::DevicePyramid& pyramid() const { return pyramid_; }
    const gpu::DeviceMaskPyramid& masks() const { return masks_; }
    /// Fields 0 and 1: the motion field, which alternates between them.
    FieldView<float> field(int which, Size3 size) const;
    FieldView<float> total(Size3 size) const;       ///< the unknown of the solve
    FieldView<float> differences(Size3 size) const; ///< of the fixed frame (describe)
    float* warped() const { return space_.data(warped_); }
    float* inside() const { return space_.data(inside_); }
    /// Nine volumes; available for other use outside a warp.
    float* tensor() const { return space_.data(tensor_); }
    std::size_t tensorFloats() const { return 9 * pyramid_.levels()[0].size.voxels(); }
    /// For the composition of a field of this size, in the tensor's memory.
    gpu::FoldBuffers folds(Size3 size) const;
    gpu::GridSum sum() const { return {space_.data(sums_), space_.data(arrived_)}; }
    float* correlation() const { return space_.data(correlation_); }
    /// One for each axis.
    gpu::DeviceTaps* taps(std::size_t level) const { return space_.data(taps_) + 3 * level; }
    /// For the frames of a level: the voxels that count.
    VolumeView<std::uint8_t> counts(std::size_t level) const;
    DeviceReport* report() const { return space_.data(report_); }
    BrightnessScratch brightness() const {
        return {space_.data(brightnessSums_), space_.data(brightness_)};
    }

private:
    Workspace space_;
    gpu::DevicePyramid pyramid_;
    gpu::DeviceMaskPyramid masks_;
    Workspace::Block<float> warped_, inside_, tensor_, fields_[2], total_, correlation_,
        differences_;
    Workspace::Block<double2> sums_;
    Workspace::Block<unsigned> arrived_;
    Workspace::Block<gpu::FoldState> folds_;
    Workspace::Block<gpu::DeviceTaps> taps_;
    Workspace::Block<DeviceReport> report_;
    std::vector<Workspace::Block<std::uint8_t>> counts_; ///< by level; empty unless adaptive
    Workspace::Block<BrightnessSums> brightnessSums_;
    Workspace::Block<BrightnessCoefficients> brightness_;
};

/// The Plan of DeviceEstimator (compute/cuda/replay.cuh) for CLG.
class DevicePlan {
public:
    using Parameters = ClgParameters;
    using Report = DeviceReport;
    static int reach(const ClgParameters&) { return clgReach; }

    /// Throws OutOfMemory.
    DevicePlan(CudaContext& cuda, const ClgParameters& parameters, const PlanShape& shape);
    /// Bytes from the pool and outside it.
    static std::size_t bytes(const ClgParameters& parameters, const PlanShape& shape);

    const PlanShape& shape() const { return shape_; }
    DeviceReport* report() const { return buffers_.report(); }
    const int* notFinite() const { return report()->notFinite; }
    /// The tensor's memory, which is free until the first warp.
    float* staging() const { return buffers_.tensor(); }
    MotionReport read(const DeviceReport& report) const;

    void begin(const MotionInput& input, FieldView<const float> start, LaunchLog& log);
    void enqueue(LaunchLog& log, bool watched, const std::function<void(const PlanStep&)>& between);
    FieldView<const float> result() const;

private:
    const std::vector<PyramidLevel>& levels() const { return buffers_.pyramid().levels(); }
    void buildPyramid(LaunchLog& log);
    void findStill(LaunchLog& log);
    /// Empty unless the method adapts to the frames.
    StillRegion stillRegion(std::size_t level) const;
    void checkStart(LaunchLog& log);
    /// Of a field that has got another grid.
    void mendFolds(std::size_t level, FieldView<float> field, LaunchLog& log);
    /// Calls afterWarp(warp, field) after each warp has been enqueued. Returns which of the two
    /// fields holds the result.
    int estimateLevel(std::size_t level, int current, bool watched, LaunchLog& log,
                      const std::function<void(int, FieldView<const float>)>& afterWarp);
    /// `spare`: the field that is free until the step is composed. `warp`: of the level, from 0;
    /// `noise`: with the noise estimate of the data.
    void warpAndTensor(std::size_t level, FieldView<const float> field, FieldView<float> spare,
                       int warp, bool noise, LaunchLog& log);
    /// Adds self-similarity to the tensor, as far as the frames show that it helps.
    void addFeatures(std::size_t level, const TensorStep& tensor, FieldView<float> spare,
                     LaunchLog& log);
    LevelStart startOf(std::size_t level) const;
    DeviceSystem systemOf(std::size_t level) const;
    gpu::AxisTaps tapsOf(std::size_t level, double smallestSpacings) const;

    ClgParameters p_;
    PlanShape shape_;
    PlanBuffers buffers_;
    std::vector<std::unique_ptr<DeviceSolver>> solvers_;
    std::vector<std::unique_ptr<gpu::DeviceTexture>> textures_; ///< empty in variant `direct`
    int result_ = 0;
};

} // namespace systole::clg
