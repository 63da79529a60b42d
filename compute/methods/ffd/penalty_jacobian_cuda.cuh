// The penalty of volume change on the device: the CUDA implementation of penalty_jacobian.h, in
// single precision. Every control point is summed by one thread: the same bits in every run.
#pragma once

#include "compute/core/control_grid.h"
#include "compute/methods/ffd/points_cuda.cuh"

namespace systole::gpu {

/// *out = (weight · penalty, 0). Pointers to device memory, laid out as grid.points().
void addJacobianPenalty(const ControlGrid& grid, double weight, const PenaltyPoints& points,
                        const GridSum& room, double2* out, LaunchLog& log);

} // namespace systole::gpu
