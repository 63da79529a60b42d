// A chamber over the frames of a sequence: the contour of the first frame is carried along by the
// motion of the tissue, and pulled to each frame's border, which may lie only a few mm from it. So
// it doesn't run through a valve that opens, and errors of one frame don't add up in the next. Its
// wall keeps the volume that it has in the first frame (Segmentation::keepsWall).
#pragma once

#include "compute/surface/segment.h"
#include "compute/surface/segment_grid.h"

#include <functional>
#include <optional>

namespace systole {

/// Estimates the motion from `fixed` to `moving` (host, cubes of one grid, gray values from about 0
/// to 1) into `displacement`, voxels, which is zero on entry. Any method of
/// compute/motion/methods.h will do; surfaces know none.
using MotionBetween = std::function<void(const Volume& fixed, const Volume& moving,
                                         FieldView<float> displacement, const ExecContext& ctx)>;

/// How far a frame's border may lie from the carried one, mm, if the options don't say.
inline constexpr double trackerLeash = 3;

class ChamberTracker {
public:
    /// Seeds in the first frame. They are carried along as well, so that the plane of the mitral
    /// ring moves with the heart.
    ChamberTracker(const SegmentSeeds& seeds, const SegmentOptions& options, MotionBetween motion);

    /// Segments the frame after the last one. Throws as segmentFrame() does, and ComputeError for
    /// another grid; after an exception the same frame can be tried again.
    Segmentation next(const Volume& frame, const ExecContext& ctx);

private:
    /// State that is kept from frame to frame.
    struct Track {
        Volume firstChamber; ///< signed distance, mm, on the image's grid
        IndexBox box;        ///< first chamber with a margin, in voxels of the image
        StoredFrame stored;  ///< the first frame
        SegmentGrid last;    ///< the last frame in the box
        VectorField toFirst; ///< the motion from the last frame to the first, on the same cubes
    };
    Segmentation first(const Volume& frame, const ExecContext& ctx);

    const SegmentSeeds seeds_;
    SegmentOptions options_;
    const MotionBetween motion_;
    std::optional<Track> track_; ///< empty before the first frame
};

} // namespace systole
