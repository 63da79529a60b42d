// Masks of a pair on one grid, at every resolution, and what they leave of a data term: for methods
// that compare a warped frame with the fixed one. Decimated masks have weights between 0 and 1
// along their edges.
#pragma once

#include "compute/ops/frame_masks_math.h"
#include "compute/ops/pyramid.h"

#include <vector>

namespace systole {

/// Their memory, on the host or on a device, none for a mask that there isn't: the fixed one first.
class MaskMemory : public LevelVolumes {
public:
    MaskMemory(const std::vector<PyramidLevel>& levels, bool fixed, bool moving, Workspace& space)
        : LevelVolumes("masks", levels, (fixed ? 1 : 0) + (moving ? 1 : 0), space)
        , fixed_(fixed)
        , moving_(moving) {}

    FrameMasks at(std::size_t level) const { return {view(level, false), view(level, true)}; }

protected:
    VolumeView<float> view(std::size_t level, bool moving) const {
        if (!(moving ? moving_ : fixed_))
            return {};
        return LevelVolumes::at(level, moving && fixed_ ? 1 : 0);
    }

    bool fixed_, moving_;
};

/// Pyramid of masks in host memory; gpu::DeviceMaskPyramid is its counterpart.
class MaskPyramid : public MaskMemory {
public:
    using MaskMemory::MaskMemory;
    void build(const MotionInput& input, const ExecContext& ctx) const;
};

/// Multiplies `inside` by the masks' weight at the displacement `field`.
void weighInside(const FrameMasks& masks, FieldView<const float> field, VolumeView<float> inside,
                 const ExecContext& ctx);

/// out = a + weight · (b − a) at the displacement `field`; `out` may be a or b.
void mixByMasks(const FrameMasks& masks, FieldView<const float> field, VolumeView<const float> a,
                VolumeView<const float> b, VolumeView<float> out, const ExecContext& ctx);

} // namespace systole
