// Red-black relaxation on the device.
#pragma once

#include "compute/motion/clg_solver_cuda_course.cuh"
#include "compute/motion/clg_solver_cuda_system.cuh"

namespace systole::clg {

/// Red-black sweeps over the grid as it lies: what every system can have. With beta the components
/// take turns within a colour, without it a voxel's block is solved at once.
void relaxInPlace(const DeviceSystem& system, const HalfTensor& half, const Planes<float>& t,
                  float omega, int sweep, const SweepCourse& course, LaunchLog& log);

} // namespace systole::clg
