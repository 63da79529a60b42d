// One step of a level set as a plain loop over all voxels.
#pragma once

#include "compute/surface/level_set.h"

namespace systole {

/// `out` becomes phi after a step of `time`; different memory.
void levelSetStepReference(VolumeView<const float> phi, const LevelSetForce& force, float spacing,
                           float time, VolumeView<float> out, const ExecContext& ctx);

} // namespace systole
