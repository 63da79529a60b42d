// The kernel families of CLG's CUDA implementation that a user can choose variants of. All variants
// of a family compute the same numbers, except `texture-filter` with its 8-bit weights.
#pragma once

#include "compute/cuda/kernel_family.h"
#include "compute/methods/clg/solver/jacobi.h"
#include "compute/ops/smooth.h"

namespace systole {
namespace clg {

inline constexpr KernelVariant gradientVariants[] = {
    {"direct", "Plain loads; shared values hit the caches."},
    {"shared", "A tile with its halo in shared memory marches through the planes.", 128},
    {"l2-only", "As direct, with loads that bypass L1."},
    {"register", "A thread keeps its column; neighbors in x come by shuffles."},
};
inline constexpr KernelFamily gradientFamily{
    "gradient", gradientVariants, "gradient", "direct",
    "How the CUDA kernel of gradient and products reads the frames."};

inline constexpr KernelVariant warpVariants[] = {
    {"direct", "Plain loads, 64 per voxel or 8 with linear sampling, in full precision."},
    {"texture", "Texture fetches instead of the loads, interpolated in full precision."},
    {.name = "texture-filter",
     .summary = "One filtered fetch per voxel: linear, with 8-bit weights.",
     .tolerance = 3.0 / 512},
};
inline constexpr KernelFamily warpFamily{
    "warp", warpVariants, "warp", "direct",
    "How the CUDA warp reads the moving frame; texture-filter is inexact."};

} // namespace clg

/// Each family has a parameter "variant-STAGE".
inline constexpr const KernelFamily* clgFamilies[] = {&clg::gradientFamily, &smoothFamily,
                                                      &clg::jacobiFamily, &clg::warpFamily};

/// The variants of one run.
struct ClgVariants {
    int gradient = clg::gradientFamily.standardVariant();
    int smooth = smoothFamily.standardVariant();
    int sweep = clg::jacobiFamily.standardVariant();
    int warp = clg::warpFamily.standardVariant();
    bool halfTensor = false; ///< J stored in 16 bits while it is solved
};

} // namespace systole
