// Compares two displacement fields of one frame voxel by voxel: how far apart, and where most.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <array>

namespace systole {

struct FieldDifference {
    double mean = 0, maximum = 0, quantile99 = 0; ///< figures of |a − b| in mm
    double meanVoxels = 0, maximumVoxels = 0;     ///< figures of |a − b| in voxels
    std::array<int, 3> maximumIndex{}; ///< voxel of the maximum in mm; the first of equals
    Vec3 maximumAt;                    ///< center of that voxel, LPS mm
};

/// Bounds in voxels within which two implementations of a method count as equal.
inline constexpr double equalMeanVoxels = 1e-3, equalMaximumVoxels = 0.05;
inline bool countAsEqual(const FieldDifference& difference) {
    return difference.meanVoxels < equalMeanVoxels && difference.maximumVoxels < equalMaximumVoxels;
}

/// Writes |a − b| in mm into `millimeters`, which has the fields' size. The fields must lie on one
/// grid; throws ComputeError when they don't. The quantile is taken as quantiles() does.
FieldDifference fieldDifference(const VectorField& a, const VectorField& b,
                                VolumeView<float> millimeters, const ExecContext& ctx);

/// Overload for fields and map on the device, on its Compute stream; waits for the figures. The
/// quantile comes from a histogram: it exceeds the exact one by at most 1/4096 of the maximum.
/// Throws ComputeError like fieldDifference(). Defined in builds with CUDA (cudaIsBuilt).
FieldDifference fieldDifferenceOnDevice(const VectorField& a, const VectorField& b,
                                        VolumeView<float> millimeters, CudaContext& cuda);

} // namespace systole
