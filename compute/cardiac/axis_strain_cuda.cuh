// Strain along axes on the device: the CUDA implementation of axis_strain.h, without its checks.
#pragma once

#include "compute/cardiac/axis_strain.h"
#include "compute/cuda/launch.cuh"

namespace systole::gpu {

/// Writes J and strain (cardiac::axisStrain()). All pointers are to device memory.
void axisStrain(const cardiac::AxisStrain& work, LaunchLog& log);

} // namespace systole::gpu
