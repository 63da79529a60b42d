// In a build without CUDA.
#include "compute/core/error.h"
#include "compute/cuda/device.h"
#include "compute/landmarks/sest.h"

namespace systole::sest {

void findFeaturesOnDevice(VolumeView<const float>, float*, const ExecContext&) {
    throw ComputeError(cudaStatus().reason);
}

void describeOnDevice(const FeatureView&, const Voxel*, int, float*, const ExecContext&) {
    throw ComputeError(cudaStatus().reason);
}

void findDistancesOnDevice(DistanceVariant, const FeatureView&, const Voxel*, int, const float*,
                           float*, const ExecContext&) {
    throw ComputeError(cudaStatus().reason);
}

} // namespace systole::sest
