// How a displacement changes volume: the determinant of I + grad w in each voxel, 1 where volume is
// kept, 0 or less where tissue would be folded.
#pragma once

#include "compute/core/frame_stage.h"
#include "compute/core/volume.h"

#include <cstddef>

namespace systole {

struct JacobianFigures {
    std::size_t folded = 0; ///< voxels whose determinant is at most the threshold
    double smallest = 0;    ///< determinant
};

/// Differences in voxels: central inside, one-sided at the border, none along an axis of one voxel.
/// The same bits for any number of threads. `displacement` lies on the host and isn't empty.
JacobianFigures jacobianFigures(FieldView<const float> displacement, double threshold,
                                const ExecContext& ctx);

/// Stage "jacobian": figures "folded voxels" (%) and "smallest determinant".
FrameStage jacobianStage();

} // namespace systole
