// Motion from frame to frame, one after the other.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <memory>

namespace systole {

/// Lagrangian step: total(p) + step(p + total(p)), trilinear, the step clamped at the border of its
/// grid. Both in voxels of one grid and in one memory, the host's or that of ctx.cuda, where the
/// result lies too, finished. Throws ComputeError otherwise.
VectorField composedMotion(const VectorField& total, const VectorField& step,
                           const ExecContext& ctx);

} // namespace systole
