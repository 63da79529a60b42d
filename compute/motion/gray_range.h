// The gray range of a sequence from some of its frames.
#pragma once

#include "compute/core/motion_estimator.h"
#include "compute/core/volume.h"

namespace systole {

/// Frame n of `count` frames spread over a sequence.
constexpr int spreadFrame(int n, int count, int frames) { return n * frames / count; }

/// Number of frames that intensityScale() looks at unless told otherwise.
inline constexpr int defaultGrayFrames = 5;

/// Averages the 1st and 99th percentile of frames: those of one sequence share their scale.
class GrayRange {
public:
    explicit GrayRange(int frames) : frames_(frames) {} ///< number of frames that will be added
    void add(VolumeView<const float> frame);
    /// The scale, once all frames have been added. If the percentiles coincide, the largest value
    /// is used; a constant image gives [value, value + 1].
    IntensityScale scale() const;

private:
    int frames_;
    double low_ = 0, high_ = 0;
};

} // namespace systole
