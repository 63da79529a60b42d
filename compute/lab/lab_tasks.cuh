// The tasks of the laboratory: the one list, a line each. A task prepares its data on the device
// for a side (labSize) and throws OutOfMemory where that doesn't fit.
#pragma once

#include "compute/lab/lab_task.h"

#include <memory>

namespace systole::lab {

std::unique_ptr<LabTask> makeGradientTask(CudaContext& cuda, int side);
std::unique_ptr<LabTask> makeSmoothTask(CudaContext& cuda, int side);
std::unique_ptr<LabTask> makeJacobiTask(CudaContext& cuda, int side);
std::unique_ptr<LabTask> makeRedBlackTask(CudaContext& cuda, int side);
std::unique_ptr<LabTask> makeWarpTask(CudaContext& cuda, int side);
std::unique_ptr<LabTask> makeSestTask(CudaContext& cuda, int side);
std::unique_ptr<LabTask> makeThinPlateTask(CudaContext& cuda, int side);
std::unique_ptr<LabTask> makeTrilinearTask(CudaContext& cuda, int side);

struct LabTaskMaker {
    const char* task; ///< as in LabKernel
    std::unique_ptr<LabTask> (*make)(CudaContext& cuda, int side);
};

inline constexpr LabTaskMaker labTaskMakers[] = {
    {"gradient", makeGradientTask},  {"smooth", makeSmoothTask},       {"jacobi", makeJacobiTask},
    {"red-black", makeRedBlackTask}, {"warp", makeWarpTask},           {"sest", makeSestTask},
    {"tps", makeThinPlateTask},      {"trilinear", makeTrilinearTask},
};

} // namespace systole::lab
