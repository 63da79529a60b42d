// In a build without CUDA.
#include "compute/core/error.h"
#include "compute/cuda/device.h"
#include "compute/landmarks/thin_plate.h"

namespace systole {

void transformGridOnDevice(ThinPlateVariant, const ThinPlateSpline&, FieldView<float>,
                           const ExecContext&) {
    throw ComputeError(cudaStatus().reason);
}

} // namespace systole
