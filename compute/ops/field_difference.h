// Two displacement fields of one frame compared voxel by voxel: how far apart, and where most.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <array>

namespace systole {

struct FieldDifference {
    double mean = 0, maximum = 0, quantile99 = 0; ///< of |a − b|, mm
    double meanVoxels = 0, maximumVoxels = 0;     ///< of |a − b| in voxels
    std::array<int, 3> maximumIndex{};            ///< of the largest in mm; of equals the first
    Vec3 maximumAt;                               ///< the same voxel's centre, LPS mm
};

/// Within which two forms of one method count as equal, voxels.
inline constexpr double equalMeanVoxels = 1e-3, equalMaximumVoxels = 0.05;
inline bool countAsEqual(const FieldDifference& difference) {
    return difference.meanVoxels < equalMeanVoxels && difference.maximumVoxels < equalMaximumVoxels;
}

/// Writes |a − b| in mm into `millimetres`, of the fields' size. The fields must lie on one grid;
/// throws ComputeError when they don't. The quantile is taken as quantiles() does.
FieldDifference fieldDifference(const VectorField& a, const VectorField& b,
                                VolumeView<float> millimetres, const ExecContext& ctx);

/// The same where both fields and the map lie on the device, on its compute stream; the figures are
/// there when it returns. The quantile is that of a histogram: at most 1/4096 of the maximum above
/// the exact one. Throws ComputeError as fieldDifference().
/// Defined in builds with CUDA (cudaIsBuilt).
FieldDifference fieldDifferenceOnDevice(const VectorField& a, const VectorField& b,
                                        VolumeView<float> millimetres, CudaContext& cuda);

} // namespace systole
