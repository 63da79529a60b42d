// How the CUDA kernel of the unbiased method's force gets displacements and fluxes; works in every
// build.
#pragma once

#include "compute/cuda/kernel_family.h"

namespace systole::unbiased {

// The flux cof(M) L' of a voxel takes 18 displacements; the force takes the fluxes of 7 voxels.
inline constexpr KernelVariant forceVariants[] = {
    {"global", "A thread per voxel, which recomputes the fluxes of 7 voxels from plain loads.", 128,
     BlockRange{32, 512, 32}},
    {"recompute", "As global, from five planes of displacements in shared memory.", 256,
     BlockRange{32, 512, 32}},
    {"recompute-capped", "As recompute, with a quarter of the registers: the rest is spilled.", 256,
     BlockRange{32, 512, 32}},
    {"reuse", "Each flux once for a block, from and into shared memory; planes one after another.",
     256, BlockRange{32, 512, 32}},
    {"bulk",
     "As reuse, with planes that bulk copies bring while the last one is worked on (compute "
     "capability 9.0, rows of a multiple of four voxels).",
     256, BlockRange{32, 384, 32}},
    {"fused", "Each flux once for a block: in registers, shuffled along x, shared along y.", 256,
     BlockRange{96, 512, 32}},
};
inline constexpr KernelFamily forceFamily{
    "unbiased-force", forceVariants, "force", "fused",
    "How the CUDA kernel of the force gets displacements and fluxes."};

} // namespace systole::unbiased
