// The B-spline field on the device: the CUDA implementation of compute/ops/bspline_field.h. All
// pointers are to device memory; sizes are those that compute/ops/bspline_field_check.h accepts.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/ops/bspline_field.h"

namespace systole::gpu {

/// The field.
void bsplineField(LaunchLog& log, ControlPointsView<const float> points, FieldView<float> field);

/// The transposed operator. `scratch` has bsplineGradientScratchOnDevice() floats. The order of
/// sums is fixed: same bits in every run.
void bsplineGradient(LaunchLog& log, FieldView<const float> perVoxel, ControlPointsView<float> sums,
                     float* scratch);

} // namespace systole::gpu
