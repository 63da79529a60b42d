// The field of a cubic B-spline as a texture unit gives it, on the host: a model of the variant
// bspline/texture-filter for measuring what its 8-bit weights cost, also without a GPU.
#pragma once

#include "compute/core/control_grid.h"
#include "compute/core/exec.h"

namespace systole {

/// The field as one interpolation, in single precision, of eight trilinear values, in which a unit
/// rounds the part along each axis to 1/256 and splits 256 into eight whole weights (CUDA C++
/// Programming Guide, "Linear Filtering"; how it rounds products isn't published: here to the
/// nearest, axis by axis, so that they add up to 256). Same bits for any number of threads. Throws
/// as bsplineField() does.
void roundedBsplineField(ControlPointsView<const float> points, FieldView<float> field,
                         const ExecContext& ctx);

} // namespace systole
