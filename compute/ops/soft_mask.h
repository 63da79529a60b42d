// The weight of one label of a label map, soft at its edge.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

/// out = the mask of `label` (1 where labels == label, else 0), interpolated linearly between voxel
/// centers, so that it fades over half a voxel to either side of a face, and averaged over each
/// voxel: 1/8, 3/4, 1/8 along each axis, border values repeated. labels and out are different
/// volumes of one size.
void softMask(VolumeView<const float> labels, float label, VolumeView<float> out,
              const ExecContext& ctx);

} // namespace systole
