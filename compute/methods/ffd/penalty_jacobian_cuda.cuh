// The penalty of volume change on the device: the CUDA implementation of penalty_jacobian.h, in
// single precision. Every control point is summed by one thread: the same bits in every run.
#pragma once

#include "compute/core/control_grid.h"
#include "compute/cuda/kernel_support.cuh"

namespace systole::gpu {

/// *out = (weight · penalty of the points + more (null: none), 0); its gradient is added to
/// `gradient` unless that is null. Pointers to device memory, laid out as grid.points().
void addJacobianPenalty(const ControlGrid& grid, double weight, const float* at, const float* more,
                        float* gradient, const GridSum& room, double2* out, LaunchLog& log);

} // namespace systole::gpu
