// Decimation on the device with the bits of the CPU's: compute/ops/resample.h, decimate(). What is
// matched must not depend on the rounding of the images, where windows are equally good.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/ops/smooth_cuda.cuh"

#include <array>

namespace systole::gpu {

/// As decimate(); `scratch` holds in.voxels() values.
void decimateExactly(VolumeView<const float> in, std::array<int, 3> factor, VolumeView<float> out,
                     const Scratch& scratch, LaunchLog& log);

} // namespace systole::gpu
