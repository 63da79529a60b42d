// white_noise_cuda.cuh for tests that aren't compiled by nvcc.
#pragma once

#include "compute/core/volume.h"
#include "compute/cuda/context.h"

namespace systole::test {

/// factor · whiteNoise() of an image on the host.
float whiteNoiseOnDevice(VolumeView<const float> image, float factor, CudaContext& cuda);

} // namespace systole::test
