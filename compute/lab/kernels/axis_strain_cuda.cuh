// The variants of the strain along axes on the device, without checks.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/lab/kernels/axis_strain.h"

namespace systole::lab {

/// Strain by a variant of axisStrainFamily. All pointers are to device memory.
void axisStrain(int variant, const cardiac::AxisStrain& work, LaunchLog& log);

} // namespace systole::lab
