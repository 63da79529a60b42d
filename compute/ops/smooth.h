// Gaussian smoothing by three separable passes; beyond the border the nearest voxel is repeated.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <vector>

namespace systole {

/// 2·radius+1 weights of a sampled Gaussian, normalised to sum 1. sigma 0 gives {1}.
std::vector<float> gaussianTaps(double sigmaVoxels, int radius);
/// The radius that the papers use: kernel width 2·ceil(3 sigma) + 1.
int gaussianRadius(double sigmaVoxels);

/// out may be in. sigma per axis in voxels; scratch of one volume from ctx.pool.
void smoothGaussian(VolumeView<const float> in, VolumeView<float> out, Vec3 sigmaVoxels,
                    const ExecContext& ctx);

/// Bytes and flops that one call declares, for profiles and floors.
double smoothingBytes(Size3 size);
double smoothingFlops(Size3 size, Vec3 sigmaVoxels);

} // namespace systole
