// Single calls of the laboratory's kernels with all data on the device, without the CUDA runtime's
// types.
#pragma once

#include "compute/lab/kernels/interpolate.h"
#include "compute/lab/kernels/similarity_gradient.h"
#include "compute/lab/kernels/spatial_gradient.h"

namespace systole::lab {

/// interpolate() by a variant of interpolateFamily; throws like it. Waits.
void interpolateOnDevice(int variant, VolumeView<const float> volume,
                         FieldView<const float> positions, VolumeView<float> out,
                         const ExecContext& ctx);
/// spatialGradient() by a variant of spatialGradientFamily; throws like it. Waits.
void spatialGradientOnDevice(int variant, VolumeView<const float> moving,
                             FieldView<const float> motion, FieldView<float> gradient,
                             const ExecContext& ctx);
/// similarityGradient() by a variant of similarityGradientFamily; throws like it. Waits.
void similarityGradientOnDevice(int variant, const NmiSlope& slope, FieldView<float> out,
                                const ExecContext& ctx);

} // namespace systole::lab
