// Trilinear interpolation on the device: the CUDA implementation of
// compute/lab/kernels/interpolate.h, without its checks. All pointers are to device memory.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/texture.cuh"
#include "compute/lab/kernels/interpolate.h"

namespace systole::lab {

/// Interpolates with a variant of interpolateFamily. `texture` contains the volume, made for the
/// variant's use; 0 if the variant needs none.
void interpolate(int variant, VolumeView<const float> volume, cudaTextureObject_t texture,
                 FieldView<const float> positions, VolumeView<float> out, LaunchLog& log);

gpu::TextureUse textureOfInterpolation(int variant);

std::vector<CompiledCost> compiledInterpolationCosts();

} // namespace systole::lab
