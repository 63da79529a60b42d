// Volumes brought to half the grid on the device; see compute/ops/smooth_halved.h.
#pragma once

#include "compute/ops/smooth_cuda.cuh"
#include "compute/ops/smooth_halved.h"

namespace systole::gpu {

/// cellMeans() of each volume; `out` has room for as many on the halved grid. `skip`: a word on the
/// device, or null; nothing is done where it is set.
void cellMeans(const VolumeStack& volumes, const HalvedGrid& grid, float* out, LaunchLog& log,
               const int* skip = nullptr);

} // namespace systole::gpu
