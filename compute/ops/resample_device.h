// The device form of warpVolume() for callers that know nothing of CUDA's types.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

/// out(p) = moving(p + field(p)), trilinear, clamped at the border. All three in the memory of
/// ctx.cuda's device; enqueued on its Compute stream, which is not waited for unless ctx.profile
/// wants the time of it (stage "warp"). Throws ComputeError in a build without CUDA.
void warpVolumeOnDevice(VolumeView<const float> moving, FieldView<const float> field,
                        VolumeView<float> out, const ExecContext& ctx);

} // namespace systole
