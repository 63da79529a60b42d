// Trilinear interpolation on the device: the CUDA implementation of compute/ops/interpolate.h,
// without its checks. All pointers are to device memory.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/kernel_task.h"
#include "compute/cuda/texture.cuh"
#include "compute/ops/interpolate.h"

namespace systole::gpu {

/// Interpolates with a variant of interpolateFamily. `texture` contains the volume, made for the
/// variant's use; 0 if the variant needs none.
void interpolate(int variant, VolumeView<const float> volume, cudaTextureObject_t texture,
                 FieldView<const float> positions, VolumeView<float> out, LaunchLog& log);

TextureUse textureOfInterpolation(int variant);

/// The laboratory's task: side³ positions in a cube.
lab::KernelTask makeTrilinearTask(CudaContext& cuda, int side);
std::vector<CompiledCost> compiledInterpolationCosts();

} // namespace systole::gpu
