// A closed surface as the zero level of a signed distance, pulled by a force, held smooth by its
// curvature and near a prior shape.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

/// Forces that move the surface, on phi's grid, on the host.
struct LevelSetForce {
    /// Outward speed where > 0, in -1 to 1.
    VolumeView<const float> data;
    /// Signed distance of the shape that the surface is held near, mm; empty: none.
    VolumeView<const float> prior{};
    float priorWeight = 0;   ///< speed at `priorSoftness` mm from the prior, and beyond
    float priorSoftness = 6; ///< mm
    float smoothness = 1;    ///< mm: a ball of radius r shrinks as if data were -2 smoothness / r
};

/// Voxels farther than this from the surface are left as they are, in voxels.
inline constexpr float levelSetBand = 4;
/// A front that moves by at most half a voxel a step stays inside the band for so many steps.
inline constexpr int levelSetSteps = 6;

/// Moves phi (mm, negative inside, slope 1 near its zero level) by `steps` explicit steps of the
/// largest stable length, on a grid of cubes of `spacing` mm. All views of one size. Voxels beyond
/// levelSetBand keep their value: call redistance() at least every levelSetSteps steps.
/// Equal bits for any number of threads. Throws
/// ComputeError for views of different sizes and weights that aren't finite or are negative.
void evolveLevelSet(VolumeView<float> phi, const LevelSetForce& force, double spacing, int steps,
                    const ExecContext& ctx);

} // namespace systole
