// How large the motion in a sequence is: the figure from which displays derive their scale. It
// follows from the frames alone, so that neither the user's parameters nor the order of playback
// changes it.
#pragma once

#include "compute/core/motion_estimator.h"
#include "compute/core/sequence.h"

#include <functional>

namespace systole {

/// The largest motion in mm between a frame and the next: the 99th percentile of |displacement|
/// where the image isn't dark, of the pairs whose images differ most; of five pairs and more, the
/// second largest. Estimated on the CPU with the first method's default parameters on a coarse
/// grid: good to a factor of about 1.5. All pairs of a small sequence are looked at; of a large
/// one, some spread over it. 0: a single frame.
double motionRange(const Sequence& sequence, const IntensityScale& scale, const ExecContext& ctx);

/// Overload for one pair of frames.
double motionRange(const Volume& fixed, const Volume& moving, const IntensityScale& scale,
                   const ExecContext& ctx);

/// Gray range and motion of a sequence; reads each frame that both need once.
struct SequenceRanges {
    IntensityScale gray; ///< see intensityScale()
    double motion = 0;   ///< mm, as motionRange()
    /// Largest motion, mm, of the pairs of the first frame and each other that was read.
    double motionSinceFirst = 0;
};
/// `grayKnown` gets the gray range as soon as it is known, before motion is estimated.
SequenceRanges sequenceRanges(const Sequence& sequence, const ExecContext& ctx,
                              const std::function<void(const IntensityScale&)>& grayKnown = {});

} // namespace systole
