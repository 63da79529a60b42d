// Sums over a Gaussian window on the device: the CUDA implementation of window_sum.h, for three
// volumes at once.
#pragma once

#include "compute/ops/smooth_cuda.cuh"

namespace systole::gpu {

/// What is summed: counted · (b, b², a · b), without b (null) counted · (1, a, a²); nothing counted
/// (null): every voxel once. Or, where `volumes` isn't null, its three volumes.
struct WindowInput {
    const float* counted = nullptr;
    const float* a = nullptr;
    const float* b = nullptr;
    const float* volumes = nullptr;
};

/// out = the sums, nothing beyond the border; three volumes of this size. `middle`, as large, is
/// overwritten and may be the input's volumes. The sums of a voxel have a fixed order.
void windowSums(const WindowInput& input, float* middle, float* out, Size3 size,
                const AxisTaps& taps, LaunchLog& log);

} // namespace systole::gpu
