// Keeps a denoised surface where it was on average.
//
// A mean over similar patches moves curved surfaces inward: outside a ball more voxels are similar
// to one at its border than inside, and pull it outward in level. Noise has mean zero, so that what
// denoising takes away, before − after, must have mean zero along the surface, too; what mean it
// has in a neighborhood is that shift, and is given back:
//     after += G ∗ (w (before − after)) / G ∗ w,   w = max(0, 1 − |after| / tau)
// with a Gaussian G wide enough to hold little noise, narrow enough to follow the curvature.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

struct MeanPlaceParameters {
    double delta = 3; ///< half the band's width that is moved, mean voxel sides
    double tau = 1.5; ///< distance at which w becomes 0, mean voxel sides
    double sigma = 4; ///< sigma of G, voxels

    /// Parameters that suit a method that compares patches of `patchRadius` voxels in the band
    /// `delta`: larger patches shift wider areas.
    static MeanPlaceParameters around(double delta, int patchRadius) {
        return {.delta = delta, .sigma = 2.0 * patchRadius};
    }
};

/// Changes `after`; both signed distances in mm, finite, of one size, on the host.
void keepMeanPlace(VolumeView<const float> before, VolumeView<float> after, Vec3 spacing,
                   const MeanPlaceParameters& parameters, const ExecContext& ctx);

/// keepMeanPlace() for distances in device memory, on the Compute stream. Defined in builds with
/// CUDA (cudaIsBuilt).
void keepMeanPlaceOnDevice(VolumeView<const float> before, VolumeView<float> after, Vec3 spacing,
                           const MeanPlaceParameters& parameters, const ExecContext& ctx);

} // namespace systole
