// Warps by a B-spline on the device: the CUDA implementation of compute/lab/kernels/bspline_warp.h.
// All pointers are to device memory; sizes are those that compute/lab/kernels/bspline_warp_math.h
// accepts.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/launch.cuh"
#include "compute/lab/kernels/bspline_warp.h"

namespace systole::lab {

/// Runs a variant of bsplineWarpFamily; "from-field" writes the spline into `field` and reads it.
void bsplineWarp(LaunchLog& log, int variant, const BsplineWarp& in, const BsplineWarped& out,
                 FieldView<float> field);

std::vector<CompiledCost> compiledBsplineWarpCosts();

} // namespace systole::lab
