#include "compute/ops/frame_masks.h"

#include "compute/ops/over_voxels.h"

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

void MaskPyramid::build(const MotionInput& input, const ExecContext& ctx) const {
    for (const bool moving : {false, true}) {
        const VolumeView<const float> given = moving ? input.movingMask : input.fixedMask;
        if (!given.empty())
            std::copy_n(given.data, given.voxels(), view(0, moving).data);
    }
    decimate(ctx);
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
