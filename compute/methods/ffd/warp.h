// The moving image under a displacement, and what a change of the displacement does to it.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/ops/index_map.h"
#include "compute/ops/sample_gradient.h"

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

/// Where map takes a point of the fixed grid.
constexpr MovingPosition movingPosition(const IndexMap& map, float x, float y, float z) {
    return {map.row(0, x, y, z), map.row(1, x, y, z), map.row(2, x, y, z)};
}

} // namespace systole
