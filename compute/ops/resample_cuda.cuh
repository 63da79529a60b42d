// Sampling of volumes and fields on the device: the CUDA implementations of compute/ops/resample.h.
// All pointers are to device memory.
#pragma once

#include "compute/ops/resample.h"
#include "compute/ops/smooth_cuda.cuh"

#include <array>

namespace systole::gpu {

/// out = scale · in + offset over `voxels` values. If one isn't finite, *notFinite becomes 1.
void scaleGray(const float* in, float* out, std::size_t voxels, float scale, float offset,
               int* notFinite, LaunchLog& log);

/// decimate() of each volume, as on the host. `scratch` has the size of the
/// input already decimated along x and y.
void decimateStack(const VolumeStack& in, std::array<int, 3> factor, const VolumeStack& out,
                   const Scratch& scratch, LaunchLog& log);

using systole::downsampling, systole::FieldResampling, systole::upsampling;
/// `copy`, unless empty, gets out · copyGain.
void resampleField(FieldView<const float> field, const FieldResampling& how, FieldView<float> out,
                   FieldView<float> copy, LaunchLog& log);

/// out(p) = moving(p + field(p)): warpVolume() without the mask.
void warpVolume(VolumeView<const float> moving, FieldView<const float> field, VolumeView<float> out,
                LaunchLog& log);

} // namespace systole::gpu
