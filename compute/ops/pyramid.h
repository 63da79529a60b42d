// The resolutions of a grid, and both frames of a pair at every resolution: shared by all methods
// and backends.
#pragma once

#include "compute/core/motion_estimator.h"
#include "compute/cuda/workspace.h"

#include <array>
#include <vector>

namespace systole {

/// Frames are mapped to gray values from 0 to this.
inline constexpr float pyramidGrayRange = 255;

double smallestOf(Vec3 spacing);

struct PyramidLevel {
    Size3 size;
    Vec3 spacing;
    std::array<int, 3> factor{1, 1, 1}; ///< decimation from the next finer level

    /// s_min / s_axis: converts a difference along an axis to one per smallest spacing, and a
    /// length in smallest spacings to voxels of the axis.
    std::array<float, 3> scale() const;
    /// A length, given in smallest spacings, in voxels of each axis.
    Vec3 alongAxes(double smallestSpacings) const;
};

/// Levels of a pyramid, at most `max`, finest first. An axis is halved unless its spacing exceeds
/// 1.5 times the smallest or it is short; the pyramid ends when no axis is halved.
std::vector<PyramidLevel> pyramidLevels(Size3 size, Vec3 spacing, int max);
/// The row of a method's maximum number of levels.
ParamRow pyramidLevelsParam(int standard);
/// Decimation from the finest level to the coarsest.
std::array<int, 3> totalFactor(const std::vector<PyramidLevel>& levels);

/// out = scale · gray + offset maps the gray values of a sequence to 0 … pyramidGrayRange.
struct GrayMapping {
    float scale, offset;
};
GrayMapping grayMapping(const IntensityScale& range);
void mapGray(VolumeView<const float> in, const GrayMapping& mapping, VolumeView<float> out,
             const ExecContext& ctx);

/// Volumes at every resolution, in the host's memory or a device's. Those of a level lie one behind
/// another.
class LevelVolumes {
public:
    /// Adds the memory of `count` volumes a level to `space`, which must be acquired before use and
    /// outlive them.
    LevelVolumes(const char* name, const std::vector<PyramidLevel>& levels, int count,
                 Workspace& space);

    int count() const { return count_; }
    bool empty() const { return count_ == 0; }
    const std::vector<PyramidLevel>& levels() const { return levels_; }
    /// Empty if there are not so many.
    VolumeView<float> at(std::size_t level, int which = 0) const;
    /// Fills the coarser levels from the finest, on the host. Returns the bytes moved.
    double decimate(const ExecContext& ctx) const;

private:
    std::vector<PyramidLevel> levels_;
    int count_;
    Workspace& space_;
    std::vector<Workspace::Block<float>> blocks_; ///< a block per level
};

/// The memory of fixed and moving frame, and of the weight of volume preservation if used, at every
/// resolution, on the host or on a device.
class PyramidMemory {
public:
    PyramidMemory(const std::vector<PyramidLevel>& levels, bool weighted, Workspace& space)
        : images_("pyramid images", levels, 2, space)
        , weights_("volume-preservation weight", levels, weighted ? 1 : 0, space) {}

    const std::vector<PyramidLevel>& levels() const { return images_.levels(); }
    VolumeView<float> fixed(std::size_t level) const { return images_.at(level, 0); }
    VolumeView<float> moving(std::size_t level) const { return images_.at(level, 1); }
    /// Empty without a weight.
    VolumeView<float> weight(std::size_t level) const { return weights_.at(level); }

protected:
    LevelVolumes images_, weights_;
};

/// Pyramid in host memory. gpu::DevicePyramid is its counterpart.
class Pyramid : public PyramidMemory {
public:
    using PyramidMemory::PyramidMemory;

    /// Fills the finest level: frames mapped to 0 … pyramidGrayRange, the weight copied. The input
    /// has a weight if the pyramid has one. Returns the bytes moved by the frames, as decimate()
    /// does.
    double begin(const MotionInput& input, const ExecContext& ctx) const;
    /// Fills the coarser levels from the finest.
    double decimate(const ExecContext& ctx) const;
    /// All levels.
    double build(const MotionInput& input, const ExecContext& ctx) const {
        const double bytes = begin(input, ctx);
        return bytes + decimate(ctx);
    }
    /// Additional scratch that decimate() takes from the pool.
    static std::size_t decimateBytes(Size3 finest);
};

} // namespace systole
