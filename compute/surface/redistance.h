// The signed distance to a level of a volume: of gray values to a threshold, and anew of a volume
// whose slope has drifted from 1.
//
// The surface is the level of the trilinear interpolant, so that it lies between voxels where
// linear interpolation puts it. Each voxel with a neighbor on the other side finds its closest
// point of it by Newton steps (Chopp, Some Improvements of the Fast Marching Method, 2001); the
// points are spread to all voxels by an exact transform (closest_points.h), and within levelBand
// the point found is moved along the surface until it is the voxel's own. The axes of the grid are
// taken to be at right angles; the grid's edge is no border.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

/// The side of a level that is inside.
enum class Inside { Above, Below };

/// `phi` becomes the distance in mm from each voxel's center to where `values` cross `level`,
/// negative where they lie above it (or below it). Voxels at the level itself are outside, at 0.
/// Both of one size, on the host, spacing in mm; may be the same memory. Backend CpuReference
/// compares with the closest points of all voxels beside the surface. Throws ComputeError if all
/// voxels lie on one side.
void distanceToLevel(VolumeView<const float> values, float level, Inside inside, Vec3 spacing,
                     VolumeView<float> phi, const ExecContext& ctx);

/// Makes phi a distance again and keeps its zero level: distanceToLevel() below 0, in place. What
/// lies farther from the surface than `band`, in mm, is found faster: there distances may be too
/// large by up to half a voxel. Infinite: as good everywhere.
void redistance(VolumeView<float> phi, Vec3 spacing, float band, const ExecContext& ctx);

/// distanceToLevel() for views on the device of ctx.cuda, on its Compute stream; waits for whether
/// there is a border. Scratch of 20 bytes per voxel from the device pool. `values` and `phi` must
/// not overlap. Equal to the CPU's within what exchanging equally near points changes.
/// Defined in builds with CUDA (cudaIsBuilt).
void distanceToLevelOnDevice(VolumeView<const float> values, float level, Inside inside,
                             Vec3 spacing, VolumeView<float> phi, const ExecContext& ctx);

/// redistance() on the device, likewise; four bytes per voxel more.
/// Defined in builds with CUDA (cudaIsBuilt).
void redistanceOnDevice(VolumeView<float> phi, Vec3 spacing, float band, const ExecContext& ctx);

} // namespace systole
