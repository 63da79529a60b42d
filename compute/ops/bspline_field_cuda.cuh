// The B-spline field on the device: the CUDA implementation of compute/ops/bspline_field.h. All
// pointers are to device memory; sizes are those that compute/ops/bspline_field_check.h accepts.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/kernel_task.h"
#include "compute/cuda/launch.cuh"
#include "compute/ops/bspline_field.h"

namespace systole::gpu {

/// The field by the fastest variant.
void bsplineField(LaunchLog& log, ControlPointsView<const float> points, FieldView<float> field);

/// What a variant of bsplineFamily reads the control points through.
enum class BsplineTexture {
    None,
    Linear,  ///< LinearTexture over the three components behind one another
    Filtered ///< filtering DeviceTexture of size (x, y, 3 z) of the same
};
BsplineTexture textureOfBspline(int variant);

/// By a variant of bsplineFamily; `texture` contains the points, 0 if the variant needs none.
void bsplineField(LaunchLog& log, int variant, ControlPointsView<const float> points,
                  cudaTextureObject_t texture, FieldView<float> field);

/// The transposed operator. `scratch` has bsplineGradientScratchOnDevice() floats. The order of
/// sums is fixed: same bits in every run.
void bsplineGradient(LaunchLog& log, FieldView<const float> perVoxel, ControlPointsView<float> sums,
                     float* scratch);

/// Writes zeros: the floor of any form of the field.
void writeField(LaunchLog& log, FieldView<float> field);

/// The laboratory's task: the field of a cube with tiles of 5×5×5 voxels.
lab::KernelTask makeBsplineTask(CudaContext& cuda, int side);
std::vector<CompiledCost> compiledBsplineCosts();

} // namespace systole::gpu
