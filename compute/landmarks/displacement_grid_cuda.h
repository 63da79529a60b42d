// The displacement of a thin-plate spline on a grid, on the device.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/landmarks/thin_plate.h"

namespace systole::gpu {

/// displacementOnGrid() of far_field.h without interpolated terms: every term at every voxel, in
/// single precision. `displacement` is on the host; waits. Defined in builds with CUDA.
void displacementOnGrid(const ThinPlateSpline& spline, Vec3 spacing, FieldView<float> displacement,
                        const ExecContext& ctx);

} // namespace systole::gpu
