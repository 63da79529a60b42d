// The noise of a surface, found in its signed distance, and the grid that suits it.
//
// Noise moves the border along its normal by n, normally distributed, with the correlation
// exp(−d²/4w²) at a distance d: white noise smoothed by a Gaussian of width w. What (1 − G_s)² ∗
// phi leaves at the border, G_s a Gaussian of sigma s, holds no plane and no even curvature; of n
// it leaves
//     E r_s² = a² Σ_j C(4, j) (−1)^j w² / (w² + j s²/2),   j = 0 … 4,
// by the spectrum of n along a plane. The spreads at two s say w and a. A spread is taken from the
// fourth of the values nearest to the median, so that edges and corners don't count; how many
// values lie far outside of it says how much of the surface they are. Steep noise doubles back, and
// its distance is lower than n: a is raised by what that takes.
//
// Lengths are in sides of the smallest voxel.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

struct SurfaceNoise {
    double amplitude = 0; ///< a, standard deviation of the border's place; 0: none is found
    double width = 0;     ///< w, width of the Gaussian
    double sharp = 0;     ///< share of the border that no such noise explains: edges, corners
    double thickness = 0; ///< volume inside over area: a third of a ball's radius, half a plate's
};

/// Finds the noise of phi, which is in mm on the host. The same bits for any number of threads.
/// Throws ComputeError as narrowBand() does.
SurfaceNoise findNoise(VolumeView<const float> phi, Vec3 spacing, const ExecContext& ctx);

/// Whether noise can be told from steps between voxels of these sides: not in thick slices.
bool canTellNoise(Vec3 spacing);

/// Spacing of the grid on which such noise is best told from shape, by trial on spheres, boxes,
/// tubes and shells; 1: that of phi. 0: there is nothing to denoise.
double gridFor(const SurfaceNoise& noise);

} // namespace systole
