// Extends frames into voxels where nothing was recorded, on the device: fillUnknown() of
// fill_unknown.h, with the same bits.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/ops/fill_unknown_math.h"
#include "compute/ops/smooth_cuda.cuh"

namespace systole::gpu {

struct FillStep {
    VolumeStack frames;
    VolumeView<std::uint8_t> known, next; ///< overwritten, as by fillUnknown()
    float* scratch = nullptr;             ///< fillScratch() floats for each frame
    const int* wanted = nullptr;          ///< flag in device memory; nothing happens where it is 0
};
void fillUnknown(const FillStep& step, LaunchLog& log);

} // namespace systole::gpu
