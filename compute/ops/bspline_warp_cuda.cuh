// Warps by a B-spline on the device: the CUDA implementation of compute/ops/bspline_warp.h. All
// pointers are to device memory; sizes are those that compute/ops/bspline_warp_check.h accepts.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/kernel_task.h"
#include "compute/cuda/launch.cuh"
#include "compute/ops/bspline_warp.h"

namespace systole::gpu {

/// By the variant "fused".
void bsplineWarp(LaunchLog& log, const BsplineWarp& in, const BsplineWarped& out);
/// By a variant of bsplineWarpFamily; "from-field" writes the spline into `field` and reads it.
void bsplineWarp(LaunchLog& log, int variant, const BsplineWarp& in, const BsplineWarped& out,
                 FieldView<float> field);

/// The laboratory's task: value, weight and gradient of a cube with tiles of 5×5×5 voxels.
lab::KernelTask makeBsplineWarpTask(CudaContext& cuda, int side);
std::vector<CompiledCost> compiledBsplineWarpCosts();

} // namespace systole::gpu
