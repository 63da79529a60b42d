// The moving image under a displacement, and what a change of the displacement does to it.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/ops/fused_math.h"
#include "compute/ops/index_map.h"

namespace systole {

/// The moving image and how its voxels follow from those of the fixed one.
struct MovingImage {
    VolumeView<const float> image;
    VolumeView<const float> mask; ///< of the image's size; empty: 1 everywhere
    IndexMap map;
};

/// warped(p) = image at map(p + field(p)), trilinear, clamped to the grid. weight(p) =
/// fixedMask(p) · mask there · insideWeight there: how much the voxel counts. fixedMask may be
/// empty. Backend::CpuReference is the plain loop.
void warpMoving(const MovingImage& moving, FieldView<const float> field,
                VolumeView<const float> fixedMask, VolumeView<float> warped,
                VolumeView<float> weight, const ExecContext& ctx);

/// force(p) = derivative(p) · ∂warped(p)/∂field(p): the exact derivative of the trilinear value,
/// zero where it is clamped. force may be field.
void warpForces(const MovingImage& moving, FieldView<const float> field,
                VolumeView<const float> derivative, FieldView<float> force, const ExecContext& ctx);

/// Where map takes a point of the fixed grid, in fused products.
constexpr MovingPosition movingPosition(const IndexMap& map, float x, float y, float z) {
    const auto row = [&](const float(&m)[3], float offset) {
        return fused(m[0], x, fused(m[1], y, fused(m[2], z, offset)));
    };
    return {row(map.matrix[0], map.offset[0]), row(map.matrix[1], map.offset[1]),
            row(map.matrix[2], map.offset[2])};
}
/// A gradient by moving voxels along an axis of the fixed ones.
constexpr float alongFixed(const IndexMap& map, int axis, const FusedGradient& g) {
    return fused(map.matrix[0][axis], g.x,
                 fused(map.matrix[1][axis], g.y, map.matrix[2][axis] * g.z));
}

} // namespace systole
