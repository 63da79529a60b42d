// The tasks of the laboratory: the one list, a line each.
#pragma once

#include "compute/landmarks/sest_cuda.cuh"
#include "compute/landmarks/thin_plate_cuda.cuh"
#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/ops/interpolate_cuda.cuh"

namespace systole::lab {

struct NamedTask {
    const char* task; ///< as in LabKernel
    LabTaskMaker make;
};

inline constexpr NamedTask labTaskMakers[] = {
    {"gradient", clg::makeGradientTask}, {"smooth", clg::makeSmoothTask},
    {"jacobi", clg::makeJacobiTask},     {"red-black", clg::makeRedBlackTask},
    {"warp", clg::makeWarpTask},         {"sest", gpu::makeSestTask},
    {"tps", gpu::makeThinPlateTask},     {"trilinear", gpu::makeTrilinearTask},
};

} // namespace systole::lab
