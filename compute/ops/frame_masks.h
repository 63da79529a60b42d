// Masks of a pair on one grid, at every resolution, and what they leave of a data term: for methods
// that compare a warped frame with the fixed one. Decimated masks have weights between 0 and 1
// along their edges.
#pragma once

#include "compute/ops/frame_masks_math.h"
#include "compute/ops/pyramid.h"

#include <vector>

namespace systole {

/// Their memory, on the host or on a device.
class MaskMemory {
public:
    /// Adds it to `space`, which must be acquired before its use and outlive the pyramid; none for
    /// a mask that there isn't.
    MaskMemory(const std::vector<PyramidLevel>& levels, bool fixed, bool moving, Workspace& space);

    bool empty() const { return masks_.empty(); }
    FrameMasks at(std::size_t level) const { return {view(level, false), view(level, true)}; }

protected:
    VolumeView<float> view(std::size_t level, bool moving) const;

    std::vector<PyramidLevel> levels_;
    Workspace& space_;
    bool fixed_, moving_;
    std::vector<Workspace::Block<float>> masks_; ///< of each level, the fixed one first
};

/// In host memory; gpu::DeviceMaskPyramid is its counterpart.
class MaskPyramid : public MaskMemory {
public:
    using MaskMemory::MaskMemory;
    void build(const MotionInput& input, const ExecContext& ctx) const;
};

/// inside *= weight at the displacement `field`.
void weighInside(const FrameMasks& masks, FieldView<const float> field, VolumeView<float> inside,
                 const ExecContext& ctx);

/// out = a + weight · (b − a) at the displacement `field`; `out` may be a or b.
void mixByMasks(const FrameMasks& masks, FieldView<const float> field, VolumeView<const float> a,
                VolumeView<const float> b, VolumeView<float> out, const ExecContext& ctx);

} // namespace systole
