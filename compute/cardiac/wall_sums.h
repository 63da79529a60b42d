// Sums over the voxels of each segment of the wall, of which its measures are made.
#pragma once

#include "compute/cardiac/frame_change.h"
#include "compute/cardiac/wall_sums_math.h"

#include <array>
#include <vector>

namespace systole::cardiac {

using SegmentSums = std::array<double, wallSums>; ///< a sum per WallSum
struct WallSums {
    std::vector<SegmentSums> segments;            ///< sums of each segment, by number − 1
    std::array<double, jacobianBins> histogram{}; ///< voxels by J
};

class WallLevels;
class WallOrderOnDevice;

/// Voxels, order and tensor of a summation.
struct WallSumming {
    const VentricleFits& fits;
    const GroupedVoxels& bySegment;
    const WallLevels& levels;
    int segments;
    Tensor tensor;
    const WallOrderOnDevice* onDevice = nullptr; ///< order on the device, if the frames are there
};

/// Sums over the change from end diastole to a frame, both on the host. The same bits for any
/// number of threads.
WallSums wallSumsOf(const WallSumming& how, const FrameChange& diastole, const FrameChange& now,
                    const ExecContext& ctx);

} // namespace systole::cardiac
