// The warp on the device: the CUDA counterpart of warp.h. All pointers are to device memory.
#pragma once

#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/ffd/warp.h"

namespace systole::gpu {

/// field += more.
void addField(FieldView<const float> more, FieldView<float> field, LaunchLog& log);
void warpMoving(const MovingImage& moving, FieldView<const float> field,
                VolumeView<const float> fixedMask, VolumeView<float> warped,
                VolumeView<float> weight, VolumeView<float> lost, LaunchLog& log);
/// force may be field.
void warpForces(const MovingImage& moving, FieldView<const float> field, const WarpDerivative& by,
                FieldView<float> force, LaunchLog& log);

} // namespace systole::gpu
