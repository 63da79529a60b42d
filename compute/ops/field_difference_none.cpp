// In a build without CUDA.
#include "compute/core/error.h"
#include "compute/cuda/device.h"
#include "compute/ops/field_difference.h"

namespace systole {

FieldDifference fieldDifferenceOnDevice(const VectorField&, const VectorField&, VolumeView<float>,
                                        CudaContext&) {
    throw ComputeError(cudaStatus().reason);
}

} // namespace systole
