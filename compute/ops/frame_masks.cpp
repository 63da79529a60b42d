#include "compute/ops/frame_masks.h"

#include "compute/ops/over_voxels.h"
#include "compute/ops/resample.h"

#include <algorithm>

namespace systole {
namespace {

/// Calls body(offset, weight) for every voxel.
template <typename Body>
void overWeights(const FrameMasks& masks, FieldView<const float> field, const ExecContext& ctx,
                 const Body& body) {
    const Size3 size = field.size;
    overVoxels(size, ctx, [&](int x, int y, int z) {
        const std::size_t i = field.componentView(0).offset(x, y, z);
        body(i, masks.weight(i, displaced(field, i, x, y, z), size));
    });
}

} // namespace

MaskMemory::MaskMemory(const std::vector<PyramidLevel>& levels, bool fixed, bool moving,
                       Workspace& space)
    : levels_(levels), space_(space), fixed_(fixed), moving_(moving) {
    const std::size_t each = (fixed ? 1u : 0u) + (moving ? 1u : 0u);
    if (each > 0)
        for (const PyramidLevel& level : levels_)
            masks_.push_back(space.add<float>("masks", each * level.size.voxels()));
}

VolumeView<float> MaskMemory::view(std::size_t level, bool moving) const {
    if (!(moving ? moving_ : fixed_))
        return {};
    const Size3 size = levels_[level].size;
    return {space_.data(masks_[level]) + (moving && fixed_ ? size.voxels() : 0), size};
}

void MaskPyramid::build(const MotionInput& input, const ExecContext& ctx) const {
    for (const bool moving : {false, true}) {
        const VolumeView<const float> given = moving ? input.movingMask : input.fixedMask;
        if (given.empty())
            continue;
        std::copy_n(given.data, given.voxels(), view(0, moving).data);
        for (std::size_t level = 1; level < levels_.size(); ++level)
            decimate(view(level - 1, moving), levels_[level].factor, view(level, moving), ctx);
    }
}

void weighInside(const FrameMasks& masks, FieldView<const float> field, VolumeView<float> inside,
                 const ExecContext& ctx) {
    overWeights(masks, field, ctx, [&](std::size_t i, float weight) { inside.data[i] *= weight; });
}

void mixByMasks(const FrameMasks& masks, FieldView<const float> field, VolumeView<const float> a,
                VolumeView<const float> b, VolumeView<float> out, const ExecContext& ctx) {
    overWeights(masks, field, ctx, [&](std::size_t i, float weight) {
        out.data[i] = masked(a.data[i], b.data[i], weight);
    });
}

} // namespace systole
