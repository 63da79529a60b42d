#include "compute/motion/gray_range.h"

#include "compute/ops/reduce.h"

#include <algorithm>
#include <cmath>

namespace systole {

void GrayRange::add(VolumeView<const float> frame) {
    const std::vector<float> q = quantiles(frame, {0.01, 0.99, 1});
    // If almost everything is background, the range is that of the remaining voxels.
    low_ += static_cast<double>(q[0]) / frames_;
    high_ += static_cast<double>(q[1] > q[0] ? q[1] : q[2]) / frames_;
}

IntensityScale GrayRange::scale() const {
    IntensityScale scale{static_cast<float>(low_), static_cast<float>(high_)};
    if (!(scale.high > scale.low))
        scale.high = scale.low + std::max(1.0f, std::abs(scale.low) * 1e-3f);
    return scale;
}

} // namespace systole
