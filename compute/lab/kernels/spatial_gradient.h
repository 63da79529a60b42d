// The spatial gradient of the warped image, one of the kernels that a free-form deformation spends
// its time in; here on its own, for the laboratory and its lessons. The method itself doesn't store
// it: warpForces() multiplies it at once, and takes both sides' mean on planes of voxels.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/cuda/kernel_family.h"

namespace systole::lab {

/// gradient(p) = derivative of the moving image's trilinear value at p + motion(p), by voxels, from
/// above where that lies on a plane of voxels; 0 along an axis along which it lies beyond the
/// image. Throws ComputeError unless motion and gradient have one size and the image has voxels.
void spatialGradient(VolumeView<const float> moving, FieldView<const float> motion,
                     FieldView<float> gradient, const ExecContext& ctx);
/// Throws as spatialGradient() does.
void checkSpatialGradient(VolumeView<const float> moving, FieldView<const float> motion,
                          FieldView<float> gradient);

/// The variants differ in how a kernel reads image and motion.
inline constexpr KernelVariant spatialGradientVariants[] = {
    {"global", "Eight loads of the image and three of the motion a voxel."},
    {"texture-1d", "As global, image and motion by index from linear textures."},
    {"texture-3d", "Eight fetches of the image from a 3D texture; the motion as global."},
    {"read-only", "As global, with loads through the read-only cache."},
    // Each difference is one of two values whose weights are rounded to 1/256.
    {.name = "texture-filter",
     .summary = "Six filtered fetches of the image, with 8-bit weights.",
     .tolerance = 0.03},
};
inline constexpr KernelFamily spatialGradientFamily{"spatial-gradient", spatialGradientVariants};

} // namespace systole::lab
