// In a build without CUDA.
#include "compute/core/error.h"
#include "compute/cuda/device.h"
#include "compute/ops/interpolate.h"

namespace systole {

void interpolateOnDevice(InterpolateVariant, VolumeView<const float>, FieldView<const float>,
                         VolumeView<float>, const ExecContext&) {
    throw ComputeError(cudaStatus().reason);
}

} // namespace systole
