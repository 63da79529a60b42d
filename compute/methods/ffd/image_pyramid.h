// One image, with or without a mask, at every resolution, in the host's memory or a device's.
#pragma once

#include "compute/cuda/workspace.h"
#include "compute/ops/pyramid.h"

#include <utility>
#include <vector>

namespace systole {

class ImagePyramid {
public:
    /// Adds its memory to `space`, which must be acquired before use and outlive the pyramid.
    /// `masked`: there is room for a mask.
    ImagePyramid(std::vector<PyramidLevel> levels, bool masked, Workspace& space)
        : levels_(std::move(levels)), space_(space) {
        for (const PyramidLevel& level : levels_) {
            images_.push_back(space.add<float>("pyramid images", level.size.voxels()));
            masks_.push_back(space.add<float>("pyramid masks", masked ? level.size.voxels() : 0));
        }
    }

    const std::vector<PyramidLevel>& levels() const { return levels_; }
    VolumeView<float> image(std::size_t level) const { return view(images_, level); }
    /// Empty before fillMask().
    VolumeView<float> mask(std::size_t level) const {
        return hasMask_ ? view(masks_, level) : VolumeView<float>();
    }

    /// begin(finest) fills the finest level, decimate(fine, factor, coarse) each coarser one.
    template <typename Begin, typename Decimate>
    void fill(const Begin& begin, const Decimate& decimate) {
        begin(image(0));
        decimateAll(images_, decimate);
    }
    /// The same of the mask.
    template <typename Begin, typename Decimate>
    void fillMask(const Begin& begin, const Decimate& decimate) {
        hasMask_ = true;
        begin(mask(0));
        decimateAll(masks_, decimate);
    }

private:
    using Blocks = std::vector<Workspace::Block<float>>;
    VolumeView<float> view(const Blocks& blocks, std::size_t level) const {
        return {space_.data(blocks[level]), levels_[level].size};
    }
    template <typename Decimate>
    void decimateAll(const Blocks& blocks, const Decimate& decimate) {
        for (std::size_t level = 1; level < levels_.size(); ++level)
            decimate(view(blocks, level - 1), levels_[level].factor, view(blocks, level));
    }

    std::vector<PyramidLevel> levels_;
    Workspace& space_;
    Blocks images_, masks_; ///< by level
    bool hasMask_ = false;
};

} // namespace systole
