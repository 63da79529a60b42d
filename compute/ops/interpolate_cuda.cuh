// Trilinear interpolation on the device: the CUDA implementation of compute/ops/interpolate.h,
// without its checks. All pointers are to device memory.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/kernel_task.h"
#include "compute/cuda/texture.cuh"
#include "compute/ops/interpolate.h"

namespace systole::gpu {

/// By a variant of interpolateFamily. `texture` is of the volume, made for the variant's use; 0
/// where it has none.
void interpolate(int variant, VolumeView<const float> volume, cudaTextureObject_t texture,
                 FieldView<const float> positions, VolumeView<float> out, LaunchLog& log);

TextureUse textureOfInterpolation(int variant);

/// side³ positions in a cube, for the laboratory.
lab::KernelTask makeTrilinearTask(CudaContext& cuda, int side);
std::vector<CompiledCost> compiledInterpolationCosts();

} // namespace systole::gpu
