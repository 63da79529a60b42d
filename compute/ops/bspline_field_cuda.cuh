// The B-spline field on the device: the CUDA implementation of compute/ops/bspline_field.h. All
// pointers are to device memory; sizes are those that compute/ops/bspline_field_check.h accepts.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/kernel_task.h"
#include "compute/cuda/texture.cuh"
#include "compute/ops/bspline_field.h"

namespace systole::gpu {

/// The field by the fastest variant.
void bsplineField(LaunchLog& log, ControlPointsView<const float> points, FieldView<float> field);

/// Filtered: a DeviceTexture of size (x, y, 3 z) of the three components behind one another;
/// Linear: a LinearTexture of them.
TextureUse textureOfBspline(int variant);

/// By a variant of bsplineFamily; `texture` contains the points, 0 if the variant needs none.
void bsplineField(LaunchLog& log, int variant, ControlPointsView<const float> points,
                  cudaTextureObject_t texture, FieldView<float> field);

/// The transposed operator. `scratch` has bsplineGradientScratchOnDevice() floats. The order of
/// sums is fixed: same bits in every run.
void bsplineGradient(LaunchLog& log, FieldView<const float> perVoxel, ControlPointsView<float> sums,
                     float* scratch);

/// Writes zeros: the floor of every variant.
void writeField(LaunchLog& log, FieldView<float> field);

/// The laboratory's task: the field of a cube with tiles of 5×5×5 voxels.
lab::KernelTask makeBsplineTask(CudaContext& cuda, int side);
std::vector<CompiledCost> compiledBsplineCosts();

} // namespace systole::gpu
