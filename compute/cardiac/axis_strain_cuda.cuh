// Strain along axes on the device: the CUDA implementation of axis_strain.h, without its checks.
#pragma once

#include "compute/cardiac/axis_strain.h"
#include "compute/cuda/launch.cuh"

namespace systole::gpu {

/// Runs a variant of cardiac::axisStrainFamily. All pointers are to device memory.
void axisStrain(int variant, const cardiac::AxisStrain& work, LaunchLog& log);

} // namespace systole::gpu
