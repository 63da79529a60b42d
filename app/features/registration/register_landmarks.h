// Pairs of landmarks in files as the motion to start a registration from.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/motion_estimator.h"

#include <string>

namespace systole {

struct StartField {
    VectorField field;       ///< displacement on the fixed grid, in its voxels
    std::string description; ///< text for messages
};

/// A robust thin-plate spline (compute/landmarks/robust_fit.h) through the points of two files, of
/// which the same lines belong together. Voxel indices are those of the frame's own grid. Throws
/// FileError, and ComputeError for different numbers, fewer than four, or pairs that contradict
/// each other.
StartField startField(const std::string& fixedPoints, const std::string& movingPoints,
                      const FrameGrids& grids, const ExecContext& ctx);

} // namespace systole
