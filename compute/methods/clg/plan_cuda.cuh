// Everything that CLG keeps on the device between pairs of one size: buffers, solvers, and the
// sequence of kernels, as launches or as a graph of them.
#pragma once

#include "compute/methods/clg/clg.h"
#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/ops/pyramid.h"

#include <functional>
#include <memory>
#include <vector>

namespace systole::clg {

inline constexpr int mostLevels = 10;

/// What the device has to say of an estimation; copied to the host once, at its end.
struct DeviceReport {
    DeviceState state[mostLevels]; ///< finest first
    double energy[mostLevels];
    int notFinite[2]; ///< 1 where the fixed or the moving frame holds values that are not
};

/// What a plan is made for.
struct PlanShape {
    Size3 size;
    Vec3 spacing;
    bool weighted = false; ///< beta has a spatial weight

    bool operator==(const PlanShape&) const = default;
};

/// Device buffers, each of the finest level's size; coarser levels use their beginnings.
class PlanBuffers {
public:
    PlanBuffers(BufferPool& pool, const std::vector<ClgLevel>& levels, bool weighted);
    /// Of the pool, exactly.
    static std::size_t bytes(const std::vector<ClgLevel>& levels, bool weighted);

    /// Both frames of a level.
    gpu::VolumeStack images(std::size_t level) const;
    float* weight(std::size_t level) const;              ///< null without
    FieldView<float> field(int which, Size3 size) const; ///< 0 and 1: the motion field in turns
    FieldView<float> total(Size3 size) const;            ///< what is solved for
    float* warped() const { return warped_; }
    float* inside() const { return inside_; }
    /// Nine volumes; free for other use outside a warp.
    float* tensor() const { return tensor_; }
    std::size_t tensorFloats() const { return 9 * levels_[0].size.voxels(); }
    gpu::GridSum sum() const { return sum_; }
    float* correlation() const { return correlation_; }
    gpu::DeviceTaps* taps(std::size_t level) const { return taps_ + level; }
    DeviceReport* report() const { return report_; }

private:
    std::vector<ClgLevel> levels_;
    std::vector<Buffer<std::byte>> blocks_;
    std::vector<float*> images_, weights_;
    float *warped_ = nullptr, *inside_ = nullptr, *tensor_ = nullptr, *total_ = nullptr;
    float* fields_[2] = {};
    gpu::GridSum sum_{};
    float* correlation_ = nullptr;
    gpu::DeviceTaps* taps_ = nullptr;
    DeviceReport* report_ = nullptr;
};

class DevicePlan {
public:
    /// Throws OutOfMemory.
    DevicePlan(CudaContext& cuda, const ClgParameters& parameters, const PlanShape& shape);
    /// Of the pool and beside it.
    static std::size_t bytes(const ClgParameters& parameters, const PlanShape& shape);

    const PlanShape& shape() const { return shape_; }
    const std::vector<ClgLevel>& levels() const { return levels_; }
    PlanBuffers& buffers() { return buffers_; }

    /// The estimation proper, from the finest images, the weight and the coarsest field and total
    /// to result(), enqueued on the log's stream. `between` is called after each warp has been
    /// enqueued with how far it has come, 0–1.
    void enqueue(LaunchLog& log, const std::function<void(double)>& between);
    /// Where the field lies when all is done.
    FieldView<const float> result() const;

private:
    void buildPyramid(LaunchLog& log);
    /// Returns which of the two fields holds the outcome.
    int estimateLevel(std::size_t level, int current, LaunchLog& log,
                      const std::function<void()>& between);
    void warpAndTensor(std::size_t level, FieldView<const float> field, bool last, LaunchLog& log);
    LevelStart startOf(std::size_t level) const;
    DeviceSystem systemOf(std::size_t level) const;

    ClgParameters p_;
    PlanShape shape_;
    std::vector<ClgLevel> levels_;
    gpu::Taps rho_;
    PlanBuffers buffers_;
    std::vector<std::unique_ptr<DeviceSolver>> solvers_;
    std::vector<std::unique_ptr<gpu::DeviceTexture>> textures_; ///< empty in variant `direct`
    int result_ = 0;
};

} // namespace systole::clg
