// Masks of a pair on one grid, at every resolution, and what they leave of a data term: for methods
// that compare a warped frame with the fixed one. Decimated masks have weights between 0 and 1
// along their edges.
#pragma once

#include "compute/ops/frame_masks_math.h"
#include "compute/ops/pyramid.h"

#include <vector>

namespace systole {

/// In host memory; gpu::DeviceMaskPyramid is its counterpart.
class MaskPyramid {
public:
    /// Adds its memory to `space`, which must be acquired before build() and outlive the pyramid.
    /// Takes none for masks that `input` doesn't have.
    MaskPyramid(const std::vector<PyramidLevel>& levels, const MotionInput& input,
                Workspace& space);

    bool empty() const { return fixed_.empty() && moving_.empty(); }
    void build(const MotionInput& input, const ExecContext& ctx) const;
    FrameMasks at(std::size_t level) const { return {view(fixed_, level), view(moving_, level)}; }

private:
    using Blocks = std::vector<Workspace::Block<float>>;
    VolumeView<float> view(const Blocks& blocks, std::size_t level) const {
        return blocks.empty() ? VolumeView<float>()
                              : VolumeView<float>(space_.data(blocks[level]), levels_[level].size);
    }

    std::vector<PyramidLevel> levels_;
    Workspace& space_;
    Blocks fixed_, moving_; ///< by level; empty without this mask
};

/// inside *= weight at the displacement `field`.
void weighInside(const FrameMasks& masks, FieldView<const float> field, VolumeView<float> inside,
                 const ExecContext& ctx);

/// out = a + weight · (b − a) at the displacement `field`; `out` may be a or b.
void mixByMasks(const FrameMasks& masks, FieldView<const float> field, VolumeView<const float> a,
                VolumeView<const float> b, VolumeView<float> out, const ExecContext& ctx);

} // namespace systole
