// One finished frame: input of overlays and panels.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/figure.h"
#include "compute/core/volume.h"

#include <memory>
#include <vector>

namespace systole {

/// Frames and motion of a FrameResult in the memory of a CUDA device.
struct DeviceResult {
    std::shared_ptr<const Volume> fixed, moving;
    std::shared_ptr<const VectorField> field;
    std::shared_ptr<const Volume> warped; ///< may be null
};

/// Mean squared difference from the fixed frame, in squared gray values of the file, over the
/// voxels whose displaced position stays inside the grid. Zero if none does.
struct ResidualChange {
    double before = 0; ///< difference of the moving frame as it is
    double after = 0;  ///< difference of the warped frame
    /// Correlation of the gray values of the two frames as they are, over the same voxels; 0 if one
    /// is constant.
    double correlation = 0;
    /// MotionReport::comparesGrayValues of the method.
    bool tells = true;
};

struct MotionErrors; // compute/motion/motion_errors.h

struct FrameResult {
    int fixedFrame = -1;  ///< frame on whose grid the field is defined
    int movingFrame = -1; ///< frame that the displacements point into
    /// Motion since one first frame, the fixed frame of all such results.
    bool sinceFirst = false;
    int window = 0; ///< frames of the TrajectoryFilter's window; 0: as estimated
    /// The frame whose picture this motion belongs to: motion since the first frame has arrived in
    /// the moving one, other motion departs from the fixed one.
    int pictureFrame() const { return sinceFirst ? movingFrame : fixedFrame; }
    /// The estimation started from the field of the pair before it, and so on back to the pair of
    /// this fixed frame, which started from zero. −1: unknown.
    int startFrame = -1;
    std::shared_ptr<const Volume> fixed, moving;
    std::shared_ptr<const VectorField> field; ///< voxels, fixed → moving
    std::shared_ptr<const Volume> warped;     ///< moving pulled back onto fixed; may be null
    /// Result on a CUDA device; null for other backends. `field` and `warped` are then null unless
    /// a copy to the host was requested.
    std::shared_ptr<const DeviceResult> device;
    std::size_t bytesToDevice = 0, bytesToHost = 0; ///< copied over the bus for this result
    FrameProfile profile;
    double seconds = 0; ///< wall-clock time of the estimation
    int iterations = 0; ///< iterations at the finest level
    double energy = 0;
    ResidualChange residual;
    std::vector<Figure> figures; ///< figures of the stages that followed, and startsOnCpu
    /// Draws errors of the field as it was estimated; null: the method doesn't provide it.
    std::shared_ptr<const MotionErrors> errors;
    /// Standard error of each component of `field`, voxels along the axes of the grid, on the host;
    /// null: not requested, or unknown.
    std::shared_ptr<const VectorField> standardError;
    Backend backend = Backend::Cpu;
    std::uint64_t generation = 0; ///< generation of the parameters used
};

} // namespace systole
