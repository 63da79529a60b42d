// The part of corner detection on the device that visits every voxel.
#pragma once

#include "compute/landmarks/corners.h"

#include <vector>

namespace systole::gpu {

/// Whether the device smooths with these standard deviations, in voxels.
bool smoothsCorners(Vec3 sigma);

struct CornerFilters {
    Vec3 gradientSigma; ///< voxels, before the gradient; 0: no smoothing
    Vec3 tensorSigma;   ///< voxels
    Vec3 halfInverse;   ///< 1 / (2 · spacing)
};

/// The local maxima of findCorners() on the device, in the order of their voxels, before the
/// strongest are chosen by their distances. Frame and mask are on the host. Positions and responses
/// have the CPU's bits: smoothing has them, and the rest is compiled without fused multiply-add.
/// Defined in builds with CUDA. Throws OutOfMemory.
std::vector<Corner> findLocalMaxima(VolumeView<const float> frame, VolumeView<const float> mask,
                                    const CornerFilters& filters, double minResponse, int margin,
                                    const ExecContext& ctx);

} // namespace systole::gpu
