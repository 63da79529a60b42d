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
        const float at[3] = {static_cast<float>(x) + field.u[i], static_cast<float>(y) + field.v[i],
                             static_cast<float>(z) + field.w[i]};
        body(i, masks.weight(i, at, size));
    });
}

} // namespace

MaskPyramid::MaskPyramid(const std::vector<PyramidLevel>& levels, const MotionInput& input,
                         Workspace& space)
    : levels_(levels), space_(space) {
    for (const PyramidLevel& level : levels_) {
        if (!input.fixedMask.empty())
            fixed_.push_back(space.add<float>("mask", level.size.voxels()));
        if (!input.movingMask.empty())
            moving_.push_back(space.add<float>("mask", level.size.voxels()));
    }
}

void MaskPyramid::build(const MotionInput& input, const ExecContext& ctx) const {
    const auto fill = [&](const Blocks& blocks, VolumeView<const float> given) {
        if (blocks.empty())
            return;
        std::copy_n(given.data, given.voxels(), view(blocks, 0).data);
        for (std::size_t level = 1; level < levels_.size(); ++level)
            decimate(view(blocks, level - 1), levels_[level].factor, view(blocks, level), ctx);
    };
    fill(fixed_, input.fixedMask);
    fill(moving_, input.movingMask);
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
