// Strong corners of a frame: points that can be found again, since the frame changes around them in
// every direction.
//
// The structure tensor S is the mean of g gᵀ over a Gaussian neighborhood, g the gradient per
// millimeter. The response is 1 / trace(S⁻¹) = det S / trace(adj S) (Förstner & Gülch, 1987; in 3D
// Rohr, 1997): the harmonic mean of the eigenvalues over their number, large only if all of them
// are. trace(S⁻¹) is the mean square error of locating the point, for noise of unit variance. An
// axis of one voxel has no gradient and is left out.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/core/voxel.h"

#include <vector>

namespace systole {

struct CornerSettings {
    int number = 1000;         ///< max number of corners, the strongest
    double spacing = 5;        ///< mm, the least distance between two corners
    double gradientSigma = 0;  ///< mm, smoothing before the gradient; 0: none
    double tensorSigma = 0;    ///< mm, of the mean; 0: the smallest voxel spacing
    double minResponse = 1e-4; ///< fraction of the strongest response below which none counts
    int margin = 2;            ///< voxels from the border, less on axes that are too short
};

struct Corner {
    Voxel voxel;
    float response; ///< (gray value / mm)²
};

/// The response at every voxel; beyond the border the frame repeats. Differences that aren't finite
/// count as 0.
void cornerResponse(VolumeView<const float> frame, Vec3 spacing, const CornerSettings& settings,
                    VolumeView<float> response, const ExecContext& ctx);

/// Local maxima of the response over 3×3×3 voxels, strongest first, none within settings.spacing of
/// a stronger one, only where `mask` (empty: everywhere) exceeds one half. Among equal responses
/// that of the lower index comes first. Where the backend of the context is CUDA, responses and
/// maxima are found on the device, except with filters wider than its kernels. Throws ComputeError
/// for settings without meaning and for a mask of another size.
std::vector<Corner> findCorners(VolumeView<const float> frame, Vec3 spacing,
                                VolumeView<const float> mask, const CornerSettings& settings,
                                const ExecContext& ctx);

} // namespace systole
