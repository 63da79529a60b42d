// Runs a motion estimator along a sequence: which frame is fixed and which moving, with which
// start, and the composition of pairwise fields into Lagrangian motion. Used alike by `systole
// motion` and by the live pipeline.
#pragma once

#include "compute/core/frame_result.h"
#include "compute/core/sequence.h"
#include "compute/motion/estimator.h"

#include <memory>
#include <string>

namespace systole {

enum class ReferenceMode {
    Previous, ///< fixed t−1, moving t
    First     ///< fixed 0, moving t, started from the field of t−1
};

/// The 1st and 99th percentile over at most `sampleFrames` frames spread over the sequence.
/// Where these coincide the largest value serves; a constant image gives [value, value + 1].
IntensityScale intensityScale(const Sequence& sequence, const ExecContext& ctx,
                              int sampleFrames = 5);

class SequenceDriver {
public:
    SequenceDriver(std::unique_ptr<MotionEstimator> estimator, ReferenceMode mode,
                   IntensityScale scale);

    /// Estimates fixed → moving. In mode Previous the last pair's field starts the next pair
    /// (`warmStart`), in mode First the last frame's field does when `fixed` is the same frame.
    /// The two volumes must share one geometry. Returns field, warped frame and profile.
    FrameResult estimate(std::shared_ptr<const Volume> fixed, int fixedFrame,
                         std::shared_ptr<const Volume> moving, int movingFrame,
                         const ExecContext& ctx);

    void setIncompressibility(std::shared_ptr<const Volume> weight);
    /// Forgets the starting field, as after a jump in time.
    void reset();
    const MotionReport& lastReport() const { return report_; }

private:
    std::unique_ptr<MotionEstimator> estimator_;
    ReferenceMode mode_;
    IntensityScale scale_;
    std::shared_ptr<const Volume> incompressibility_;
    std::shared_ptr<const VectorField> start_;
    int startFixedFrame_ = -1;
    MotionReport report_;
};

/// Lagrangian step: total(p) ← total(p) + step(p + total(p)), trilinear, the step clamped at the
/// border of its grid. Both in voxels of one geometry.
void composeInto(VectorField& total, const VectorField& step, const ExecContext& ctx);

} // namespace systole
