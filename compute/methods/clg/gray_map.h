// Frames of different contrast, such as T1 and proton density: each gray value of the warped frame
// is replaced by the mean of the fixed frame where the warped one has it, E[I1 | I2] of their joint
// histogram (the correlation ratio's map, Roche et al. 1998). It fits any contrast that is
// a function of the gray value and is found anew in every warp.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/methods/clg/gray_map_math.h"

namespace systole {

/// Writes the frames as they can be compared: `fixed` or its map to `mappedFixed`, and over
/// `warped` its map, if that one tells more of the other frame. `inside`: 1 where the warped value
/// is data, 0 where not. Sums are integers: the same bits for any number of threads.
void mapGrayValues(VolumeView<const float> fixed, VolumeView<const float> inside,
                   VolumeView<float> warped, VolumeView<float> mappedFixed, clg::GrayMap& map,
                   const ExecContext& ctx);

} // namespace systole
