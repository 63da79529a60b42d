// Sampling of volumes and fields at displaced or rescaled positions, trilinear, clamped at the
// border.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <array>

namespace systole {

/// out(p) = moving(p + field(p)). `inside` (may be empty) becomes 1 where that position lies in the
/// grid and 0 elsewhere.
void warpVolume(VolumeView<const float> moving, FieldView<const float> field, VolumeView<float> out,
                VolumeView<float> inside, const ExecContext& ctx);

/// The same without a mask where everything lies on the device of ctx.cuda; enqueued on its Compute
/// stream, which is not waited for unless ctx.profile wants the time of it (stage "warp"). Defined
/// in builds with CUDA (cudaIsBuilt).
void warpVolumeOnDevice(VolumeView<const float> moving, FieldView<const float> field,
                        VolumeView<float> out, const ExecContext& ctx);

/// out(p) = step(p) + field(p + step(p)): the field after a further step. out must not be an input.
void composeFields(FieldView<const float> field, FieldView<const float> step, FieldView<float> out,
                   const ExecContext& ctx);

/// Every factor-th voxel along each axis (factor 1 or 2), after a Gaussian along the axes that are
/// decimated. Output size: (n + factor − 1) / factor.
void decimate(VolumeView<const float> in, std::array<int, 3> factor, VolumeView<float> out,
              const ExecContext& ctx);

/// A displacement of a decimated grid carried up to `out`'s grid: sampled at p / factor and each
/// component multiplied by its axis' factor.
void upsampleField(FieldView<const float> coarse, std::array<int, 3> factor, FieldView<float> out,
                   const ExecContext& ctx);
/// Its counterpart for a starting value: sampled at p · factor, divided.
void downsampleField(FieldView<const float> fine, std::array<int, 3> factor, FieldView<float> out,
                     const ExecContext& ctx);

} // namespace systole
