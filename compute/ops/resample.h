// Sampling of volumes and fields at displaced or rescaled positions, trilinear unless stated,
// clamped at the border.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <array>

namespace systole {

/// out(p) = moving(p + field(p)). `inside` (may be empty) becomes that position's insideWeight
/// (compute/ops/sample.h).
void warpVolume(VolumeView<const float> moving, FieldView<const float> field, VolumeView<float> out,
                VolumeView<float> inside, const ExecContext& ctx);

/// Warps like warpVolume(), with cubicSample() (compute/ops/sample_cubic.h).
void warpVolumeCubic(VolumeView<const float> moving, FieldView<const float> field,
                     VolumeView<float> out, VolumeView<float> inside, const ExecContext& ctx);

/// warpVolume() without a mask, with all data on the device of ctx.cuda; enqueued on its Compute
/// stream. Waits only to time the stage "warp" for ctx.profile. Defined in builds with CUDA
/// (cudaIsBuilt).
void warpVolumeOnDevice(VolumeView<const float> moving, FieldView<const float> field,
                        VolumeView<float> out, const ExecContext& ctx);

/// out(p) = step(p) + field(p + step(p)): appends a step to the field. out must not be an input.
void composeFields(FieldView<const float> field, FieldView<const float> step, FieldView<float> out,
                   const ExecContext& ctx);

/// Multiplies each component by its axis' factor; does nothing where all are 1.
void scaleField(FieldView<float> field, std::array<float, 3> factor, const ExecContext& ctx);

/// One voxel of `factor` (1 or 2) along each axis, after a Gaussian along the decimated axes; where
/// they lie: compute/ops/decimation.h. Output size: decimatedVoxels() of each axis. Takes
/// decimationScratch() floats from ctx.pool.
void decimate(VolumeView<const float> in, std::array<int, 3> factor, VolumeView<float> out,
              const ExecContext& ctx);
constexpr std::size_t decimationScratch(Size3 in, Size3 out) {
    return Size3{out.x, out.y, in.z}.voxels();
}
/// Bytes that a decimation declares.
double decimationBytes(Size3 in, Size3 out);

/// out(p) = field(p · ratio + shift) · gain, per axis; the shift brings the middle of one grid onto
/// that of the other.
struct FieldResampling {
    std::array<float, 3> ratio, gain, copyGain{1, 1, 1}; ///< copyGain: see gpu::resampleField()
};
FieldResampling upsampling(std::array<int, 3> factor);   ///< used by upsampleField()
FieldResampling downsampling(std::array<int, 3> factor); ///< used by downsampleField()

/// The shift of a resampling along an axis.
constexpr float resamplingShift(int from, float ratio, int to) {
    return 0.5f * (static_cast<float>(from - 1) - ratio * static_cast<float>(to - 1));
}

/// Resamples a displacement from a decimated grid to `out`'s grid: each component is multiplied by
/// its axis' factor.
void upsampleField(FieldView<const float> coarse, std::array<int, 3> factor, FieldView<float> out,
                   const ExecContext& ctx);
/// The inverse of upsampleField(), for a starting value.
void downsampleField(FieldView<const float> fine, std::array<int, 3> factor, FieldView<float> out,
                     const ExecContext& ctx);

} // namespace systole
