// Sums over the voxels of each segment of the wall, of which its measures are made.
#pragma once

#include "compute/cardiac/frame_change.h"
#include "compute/cardiac/wall_sums_math.h"

#include <array>
#include <vector>

namespace systole::cardiac {

using SegmentSums = std::array<double, wallSums>; ///< by WallSum
struct WallSums {
    std::vector<SegmentSums> segments;            ///< by number − 1
    std::array<double, jacobianBins> histogram{}; ///< voxels by J
};

class WallLevels;
class WallOrderOnDevice;

/// What is summed in which order, and how.
struct WallSumming {
    const VentricleFits& fits;
    const GroupedVoxels& bySegment;
    const WallLevels& levels;
    int segments;
    Tensor tensor;
    const WallOrderOnDevice* onDevice = nullptr; ///< the same for frames on a device
};

/// Since end diastole; both frames on the host. The same bits for any number of threads.
WallSums wallSumsOf(const WallSumming& how, const FrameChange& diastole, const FrameChange& now,
                    const ExecContext& ctx);

} // namespace systole::cardiac
