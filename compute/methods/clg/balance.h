// How the `default` preset finds its balance from the frames themselves, so that no one turns knobs
// per file. The reasons and the measurements behind the constants stand in docs/numerics.md.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

/// Mean of (warped − fixed)² over the voxels inside (grey²): noise, decorrelation and what motion
/// is not yet found. Added to |∇I|² in the data term's normalisation, it takes weight from voxels
/// whose gradient does not stand out of it.
double meanSquaredResidual(VolumeView<const float> fixed, VolumeView<const float> warped,
                           VolumeView<const float> inside, const ExecContext& ctx);

/// Root mean square of |∇w| (voxel per voxel, the same number on every level).
double fieldRoughness(FieldView<const float> field, const ExecContext& ctx);

/// What alpha is multiplied with: the weight of a Gaussian prior on ∇w is the reciprocal of its
/// spread. 1 for a field that is zero, of which nothing is known yet.
double smoothnessGain(double roughness);

/// Correlation of neighbouring voxels about the mean of their surroundings: the median over blocks
/// and the mean over axes. Near 0 in white noise, one half in speckle and in structure. 1 for
/// a volume too small for a block.
double neighbourCorrelation(VolumeView<const float> volume, const ExecContext& ctx);

/// Standard deviation of the smoothing that both frames are given, voxel: none where neighbouring
/// voxels agree, more the more the picture is white noise, in which fine gradients say nothing.
double prefilterSigma(double neighbourCorrelation);

} // namespace systole
