// How far the way from one image to another and back misses its start: two registrations of the
// same images in both directions agree where it doesn't.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

/// Statistics of the distance |T'(T(x)) − x|, T' the way back, over the voxels x of the fixed grid
/// whose point T(x) lies among the voxel centers of the moving grid.
struct ConsistencyReport {
    std::size_t inside = 0;
    double meanError = 0, largestError = 0; ///< mm; NaN if no voxel is inside
};

/// `back` leads from the moving to the fixed image, in voxels of the moving grid, and is trilinear
/// between them. Voxels with a mask of 0 don't count; an empty mask: all do. Bitwise equal for any
/// number of threads.
ConsistencyReport inverseConsistency(const VectorField& forward, const VectorField& back,
                                     VolumeView<const float> mask, const ExecContext& ctx);

} // namespace systole
