// The moving image under a displacement, and what a change of the displacement does to it.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/ops/index_map.h"
#include "compute/ops/lost_noise.h"

namespace systole {

/// The moving image and how its voxels follow from those of the fixed one.
struct MovingImage {
    VolumeView<const float> image;
    VolumeView<const float> mask; ///< mask of the image's size; empty: 1 everywhere
    IndexMap map;
    float noise = 0; ///< variance of white noise whose loss is told; 0: it isn't
};

/// warped(p) = image at map(p + field(p)), trilinear, clamped to the grid. weight(p) =
/// fixedMask(p) · mask there · insideWeight there: how much the voxel counts. fixedMask may be
/// empty. lost(p) = moving.noise · what interpolation takes of it there (NoiseLoss), unless there
/// is no noise. Backend::CpuReference is the plain loop.
void warpMoving(const MovingImage& moving, FieldView<const float> field,
                VolumeView<const float> fixedMask, VolumeView<float> warped,
                VolumeView<float> weight, VolumeView<float> lost, const ExecContext& ctx);

/// Derivative of a similarity by the warped image, and by the noise lost to it (empty: zero).
struct WarpDerivative {
    VolumeView<const float> warped, lost;
};
/// force(p) = by.warped(p) · ∂warped(p)/∂field(p) + by.lost(p) · ∂lost(p)/∂field(p): the exact
/// derivative of the trilinear value, zero where it is clamped. force may be field.
void warpForces(const MovingImage& moving, FieldView<const float> field, const WarpDerivative& by,
                FieldView<float> force, const ExecContext& ctx);

/// Position to which `map` takes a point of the fixed grid, in fused products.
constexpr MovingPosition movingPosition(const IndexMap& map, float x, float y, float z) {
    const auto row = [&](const float(&m)[3], float offset) {
        return fused(m[0], x, fused(m[1], y, fused(m[2], z, offset)));
    };
    return {row(map.matrix[0], map.offset[0]), row(map.matrix[1], map.offset[1]),
            row(map.matrix[2], map.offset[2])};
}
/// A gradient by moving voxels along an axis of the fixed ones.
constexpr float alongFixed(const IndexMap& map, int axis, const float (&g)[3]) {
    return fused(map.matrix[0][axis], g[0],
                 fused(map.matrix[1][axis], g[1], map.matrix[2][axis] * g[2]));
}

/// warpForces() at a voxel.
struct WarpForce {
    const IndexMap& map;
    float byWarped, byLost, gradient[3], slope[3];

    constexpr WarpForce(const MovingImage& moving, MovingPosition p, const WarpDerivative& by,
                        std::size_t i)
        : map(moving.map)
        , byWarped(by.warped.data[i])
        , byLost(by.lost.data ? moving.noise * by.lost.data[i] : 0.0f)
        , gradient{}
        , slope{} {
        const FusedGradient g(moving.image.data, moving.image.size, p);
        gradient[0] = g.x;
        gradient[1] = g.y;
        gradient[2] = g.z;
        if (by.lost.data) {
            const NoiseLoss loss(TrilinearSample(moving.image.size, p.x, p.y, p.z));
            for (int axis = 0; axis < 3; ++axis)
                slope[axis] = loss.slope[axis];
        }
    }
    constexpr float along(int axis) const {
        return fused(byWarped, alongFixed(map, axis, gradient),
                     byLost * alongFixed(map, axis, slope));
    }
};

} // namespace systole
