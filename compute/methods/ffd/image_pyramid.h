// One image, with or without a mask, at every resolution, in host memory.
#pragma once

#include "compute/core/exec.h"
#include "compute/cuda/workspace.h"
#include "compute/ops/pyramid.h"

#include <vector>

namespace systole {

class ImagePyramid {
public:
    /// Adds its memory to `space`, which must be acquired before build() and outlive the pyramid.
    /// `masked`: there is room for a mask.
    ImagePyramid(std::vector<PyramidLevel> levels, bool masked, Workspace& space)
        : levels_(std::move(levels)), space_(space) {
        for (const PyramidLevel& level : levels_) {
            images_.push_back(space.add<float>("pyramid images", level.size.voxels()));
            if (masked)
                masks_.push_back(space.add<float>("pyramid masks", level.size.voxels()));
        }
    }

    const std::vector<PyramidLevel>& levels() const { return levels_; }
    VolumeView<float> image(std::size_t level) const { return view(images_, level); }
    /// Empty before buildMask().
    VolumeView<float> mask(std::size_t level) const {
        return hasMask_ ? view(masks_, level) : VolumeView<float>();
    }

    /// Fills the images of all levels with mapped gray values.
    void build(VolumeView<const float> gray, const GrayMapping& mapping, const ExecContext& ctx);
    /// Fills the masks of all levels.
    void buildMask(VolumeView<const float> mask, const ExecContext& ctx);

private:
    VolumeView<float> view(const std::vector<Workspace::Block<float>>& blocks,
                           std::size_t level) const {
        return {space_.data(blocks[level]), levels_[level].size};
    }

    std::vector<PyramidLevel> levels_;
    Workspace& space_;
    std::vector<Workspace::Block<float>> images_, masks_; ///< by level
    bool hasMask_ = false;
};

} // namespace systole
