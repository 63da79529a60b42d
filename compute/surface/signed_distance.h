// The signed distance of every voxel to the border of a mask.
//
// The border consists of the faces between voxels inside and outside, so that it lies halfway
// between their centers; voxels are boxes. Distances are exact (Euclidean, in mm) for any spacing.
// Nothing is known beyond the grid: its edge is no border, and a mask that touches it goes on
// there. The axes of the grid are taken to be at right angles.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <cstdint>

namespace systole {

/// `inside` is not 0 in voxels of the mask; spacing in mm. `phi` of the same size becomes the
/// distance in mm from each voxel's center to the border, negative inside, never 0. On the host.
/// Throws ComputeError if the sizes differ, or if all voxels or none are inside: then there is no
/// border.
void signedDistance(VolumeView<const std::uint8_t> inside, Vec3 spacing, VolumeView<float> phi,
                    const ExecContext& ctx);

/// signedDistance() for views on the device of ctx.cuda, on its Compute stream; waits for whether
/// there is a border. Equal to the CPU's result except for rounding. Defined in builds with CUDA
/// (cudaIsBuilt).
void signedDistanceOnDevice(VolumeView<const std::uint8_t> inside, Vec3 spacing,
                            VolumeView<float> phi, const ExecContext& ctx);

/// The voxels whose value rounds to `label`: `inside` becomes 1 there and 0 elsewhere. Of one size.
void markLabel(VolumeView<const float> labels, int label, VolumeView<std::uint8_t> inside,
               const ExecContext& ctx);

} // namespace systole
