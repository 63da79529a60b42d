// Resolutions of a grid, and both frames of a pair at every one of them: the same for every method
// and every backend.
#pragma once

#include "compute/core/motion_estimator.h"
#include "compute/cuda/workspace.h"

#include <array>
#include <vector>

namespace systole {

/// The gray range that frames are brought to: 0 to this.
inline constexpr float pyramidGrayRange = 255;

struct PyramidLevel {
    Size3 size;
    Vec3 spacing;
    std::array<int, 3> factor{1, 1, 1}; ///< from the next finer level

    /// s_min / s_axis: turns a difference along an axis into one per smallest voxel.
    std::array<float, 3> scale() const;
};

/// Finest first, `max` at most. An axis is halved unless its spacing exceeds 1.5 times the
/// smallest or it is short; where none is halved the pyramid ends.
std::vector<PyramidLevel> pyramidLevels(Size3 size, Vec3 spacing, int max);
/// From the finest level to the coarsest.
std::array<int, 3> totalFactor(const std::vector<PyramidLevel>& levels);

/// out = scale · gray + offset brings the gray values of a sequence to 0 … pyramidGrayRange.
struct GrayMapping {
    float scale, offset;
};
GrayMapping grayMapping(const IntensityScale& range);

/// Fixed and moving frame, and the weight of volume preservation where it is used, at every
/// resolution, in host memory. gpu::DevicePyramid is its counterpart.
class Pyramid {
public:
    /// Lists its memory in `space`, which must be acquired before build() and outlive the pyramid.
    Pyramid(std::vector<PyramidLevel> levels, bool weighted, Workspace& space);

    const std::vector<PyramidLevel>& levels() const { return levels_; }
    VolumeView<float> fixed(std::size_t level) const { return view(fixed_[level], level); }
    VolumeView<float> moving(std::size_t level) const { return view(moving_[level], level); }
    /// Empty where there is none.
    VolumeView<float> weight(std::size_t level) const;

    /// Fills all levels. The input has a weight if the pyramid has. Returns the bytes that it
    /// moves.
    double build(const MotionInput& input, const ExecContext& ctx);
    /// Scratch that build() takes from the pool besides.
    static std::size_t buildBytes(Size3 finest);

private:
    VolumeView<float> view(Workspace::Block<float> block, std::size_t level) const {
        return {space_.data(block), levels_[level].size};
    }

    std::vector<PyramidLevel> levels_;
    Workspace& space_;
    std::vector<Workspace::Block<float>> fixed_, moving_, weight_; ///< by level
};

} // namespace systole
