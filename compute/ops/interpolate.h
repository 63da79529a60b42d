// Trilinear values of a volume at arbitrary positions: what follows a transform of coordinates.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/cuda/kernel_family.h"

namespace systole {

/// out[i] = value of the volume at positions[i] (x, y, z in voxels), clamped to the grid; where
/// a position is not a number, as at 0. Positions and out are of one size, whatever the volume's;
/// throws ComputeError when they aren't or the volume is empty. Backend::CpuReference is the plain
/// loop.
void interpolate(VolumeView<const float> volume, FieldView<const float> positions,
                 VolumeView<float> out, const ExecContext& ctx);

/// How a kernel reads the eight voxels around a position.
inline constexpr KernelVariant interpolateVariants[] = {
    {"direct", "Eight loads a position, interpolated in full precision."},
    {"l2-only", "As direct, with loads that bypass L1."},
    {"texture", "Eight texture fetches, interpolated in full precision."},
    // The parts along each axis are rounded to 1/256, and so is each of the eight weights that
    // they give.
    {.name = "texture-filter",
     .summary = "One filtered fetch, with 8-bit weights.",
     .tolerance = 3.0 / 512},
};
inline constexpr KernelFamily interpolateFamily{"trilinear", interpolateVariants};

/// The same with everything on the device, on its compute stream; waits where ctx has a profile.
/// The texture variants make a texture of the volume first, at each call, and wait. The variant is
/// one of interpolateFamily. Throws ComputeError as interpolate(). Defined in builds with CUDA
/// (cudaIsBuilt).
void interpolateOnDevice(int variant, VolumeView<const float> volume,
                         FieldView<const float> positions, VolumeView<float> out,
                         const ExecContext& ctx);

} // namespace systole
