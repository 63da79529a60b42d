// The implementations of the free-form deformation; ffd.h chooses one.
#pragma once

#include "compute/methods/ffd/ffd.h"
#include "compute/ops/bspline_field.h"

namespace systole {

/// How an estimation gets the field of its control points: bsplineField(), or a less exact one for
/// measuring what that costs.
using FieldOfPoints = void (*)(ControlPointsView<const float>, FieldView<float>,
                               const ExecContext&);

/// Backend::Cpu and Backend::CpuReference, by the context's backend.
std::unique_ptr<FfdEstimator> makeFfdCpu(const FfdParameters& parameters,
                                         FieldOfPoints fieldOf = bsplineField);
/// Defined in builds with CUDA (cudaIsBuilt).
std::unique_ptr<FfdEstimator> makeFfdCuda(const FfdParameters& parameters);

} // namespace systole
