// The voxel-wise gradient of normalized mutual information, one of the kernels that a free-form
// deformation spends its time in; here on its own, for the laboratory and its lessons. The method
// itself keeps no spatial gradient to read: Similarity::derivative() and warpForces() do the same.
#pragma once

#include "compute/core/exec.h"
#include "compute/cuda/kernel_family.h"
#include "compute/methods/ffd/similarity_nmi.h"

namespace systole::lab {

/// Everything of one size but the table.
struct NmiSlope {
    ComparedImages images;
    FieldView<const float> gradient; ///< spatial, of the warped image
    BinScale fixedBins, warpedBins;
    const float* table = nullptr; ///< NmiResult::derivative
};

/// out(p) = ∂(−NMI)/∂motion(p): what the table says of the voxel's four counts, times the spatial
/// gradient; 0 where the gray value lies beyond the bins. Modat et al., Computer Methods and
/// Programs in Biomedicine 98(3), 2010, section 2.3. On the host. Throws ComputeError for other
/// sizes.
void similarityGradient(const NmiSlope& slope, FieldView<float> out, const ExecContext& ctx);
/// Throws as similarityGradient() does.
void checkSimilarityGradient(const NmiSlope& slope, FieldView<float> out);

/// The variants differ in how a kernel reads images, gradient and table.
inline constexpr KernelVariant similarityGradientVariants[] = {
    {"global", "Six loads a voxel and four of the table, from global memory."},
    {"texture-1d", "As global, all by index from linear textures."},
    {"texture-3d", "The two images from 3D textures; the rest as global."},
    {"read-only", "As global, with loads through the read-only cache."},
    {"shared", "A block keeps the table in shared memory and marches along z."},
};
inline constexpr KernelFamily similarityGradientFamily{"similarity-gradient",
                                                       similarityGradientVariants};

} // namespace systole::lab
