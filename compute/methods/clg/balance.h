// How the `default` preset finds its balance from the frames themselves, without settings per file.
// The rules are in docs/numerics/clg-balance.md.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <array>

namespace systole {

/// Mean of (warped − fixed)² over the voxels inside (gray²): noise, decorrelation and motion not
/// yet found. Added to |∇I|² in the data term's normalization, it reduces the weight of voxels
/// whose gradient does not exceed it.
double meanSquaredResidual(VolumeView<const float> fixed, VolumeView<const float> warped,
                           VolumeView<const float> inside, const ExecContext& ctx);

/// Whether the warped frame is closer to the fixed one than the moving frame is, over the voxels
/// inside: a motion to start from that makes things worse, or leaves the grid, isn't used.
bool warpHelps(VolumeView<const float> fixed, VolumeView<const float> moving,
               VolumeView<const float> warped, VolumeView<const float> inside,
               const ExecContext& ctx);

/// Root mean square of |∇w|, a length per length and so the same number on every level. The field
/// is in voxels; `scale` is that of its grid (PyramidLevel).
double fieldRoughness(FieldView<const float> field, std::array<float, 3> scale,
                      const ExecContext& ctx);

/// Correlation of neighboring voxels about the mean of their surroundings: the median over blocks
/// and the mean over axes. Near 0 in white noise, one half in speckle and in structure. 1 for
/// a volume too small for a block. Axes much coarser than the finest (clg::countsAsFine) are left
/// out: structure changes from one thick slice to the next as noise does.
double neighborCorrelation(VolumeView<const float> volume, std::array<float, 3> scale,
                           const ExecContext& ctx);

} // namespace systole
