// Trilinear values of a volume at arbitrary positions, as needed after a transform of coordinates.
#pragma once

#include "compute/core/error.h"
#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/cuda/kernel_family.h"

namespace systole::lab {

/// out[i] = value of the volume at positions[i] (x, y, z in voxels), clamped to the grid; a
/// coordinate that is not a number counts as 0. Positions and out must have one size, which may
/// differ from the volume's; throws ComputeError if they don't or the volume is empty.
/// Backend::CpuReference is the plain loop.
void interpolate(VolumeView<const float> volume, FieldView<const float> positions,
                 VolumeView<float> out, const ExecContext& ctx);

/// The variants differ in how a kernel reads the eight voxels around a position.
inline constexpr KernelVariant interpolateVariants[] = {
    {"direct", "Eight loads a position, interpolated in full precision."},
    {"l2-only", "As direct, with loads that bypass L1."},
    {"texture", "Eight texture fetches, interpolated in full precision."},
    // The fraction along each axis is rounded to 1/256, and so is each of the eight resulting
    // weights.
    {.name = "texture-filter",
     .summary = "One filtered fetch, with 8-bit weights.",
     .tolerance = 3.0 / 512},
    // The other ways of the first GPU registrations, which chose among them by measurement.
    {"texture-1d", "Eight fetches by index from a linear texture, interpolated in full precision."},
    {"read-only", "As direct, with loads through the read-only cache."},
};
inline constexpr KernelFamily interpolateFamily{"trilinear", interpolateVariants};

inline void checkInterpolation(VolumeView<const float> volume, FieldView<const float> positions,
                               VolumeView<float> out) {
    if (positions.size != out.size)
        throw ComputeError("positions to interpolate at and their results must be of one size");
    if (volume.voxels() == 0)
        throw ComputeError("a volume to interpolate in must have voxels");
}

} // namespace systole::lab
