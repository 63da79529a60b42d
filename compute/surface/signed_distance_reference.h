// The signed distance of a mask by looking at every face for every voxel.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <cstdint>

namespace systole {

/// As signedDistance(), in float64; quadratic in the number of voxels.
void signedDistanceReference(VolumeView<const std::uint8_t> inside, Vec3 spacing,
                             VolumeView<float> phi, const ExecContext& ctx);

} // namespace systole
