// Trilinear values of a volume at arbitrary positions: what follows a transform of coordinates.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

/// out[i] = value of the volume at positions[i] (x, y, z in voxels), clamped to the grid; where
/// a position is not a number, as at 0. Positions and out are of one size, whatever the volume's;
/// throws ComputeError when they aren't or the volume is empty. Backend::CpuReference is the plain
/// loop.
void interpolate(VolumeView<const float> volume, FieldView<const float> positions,
                 VolumeView<float> out, const ExecContext& ctx);

/// How a kernel reads the eight voxels around a position.
enum class InterpolateVariant {
    Direct,       ///< plain loads
    L2Only,       ///< loads that pass the first cache by
    Texture,      ///< point fetches from a texture, weighted in full precision
    TextureFilter ///< one fetch that the texture unit weights: the parts along each axis are
                  ///< rounded to 1/256, and so is each of the eight weights that they give
};
inline constexpr const char* interpolateKernels[] = {
    "trilinear/direct", "trilinear/l2-only", "trilinear/texture", "trilinear/texture-filter"};

/// The same with everything on the device, on its compute stream; waits where ctx has a profile.
/// The texture variants make a texture of the volume first, at each call, and wait. Throws
/// ComputeError as interpolate(). Defined in builds with CUDA (cudaIsBuilt).
void interpolateOnDevice(InterpolateVariant variant, VolumeView<const float> volume,
                         FieldView<const float> positions, VolumeView<float> out,
                         const ExecContext& ctx);

} // namespace systole
