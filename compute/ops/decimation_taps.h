// The filter of decimate() (compute/ops/resample.h) along an axis, for CPU and CUDA.
#pragma once

#include "compute/ops/decimation.h"
#include "compute/ops/smooth.h"

namespace systole {

/// Where a coarse voxel lies between two, the mean of two Gaussians beside each other.
struct DecimationTaps {
    static constexpr int most = 8;
    int factor = 1;
    int first = 0; ///< voxel of the first weight, from that at factor · i
    int count = 1;
    float weight[most] = {1};
};

inline DecimationTaps decimationTaps(int voxels, int factor) {
    DecimationTaps taps;
    taps.factor = factor;
    if (factor == 1)
        return taps;
    const int shift = decimationShiftInHalves(voxels, factor);
    const double sigma = decimationSigma(shift);
    const int radius = gaussianRadius(sigma);
    const std::vector<float> one = gaussianTaps(sigma, radius);
    taps.first = -radius;
    taps.count = static_cast<int>(one.size()) + shift;
    for (std::size_t k = 0; k < one.size(); ++k)
        taps.weight[k] = one[k];
    if (shift > 0) {
        taps.weight[one.size()] = 0;
        for (std::size_t k = one.size(); k > 0; --k)
            taps.weight[k] = 0.5f * (taps.weight[k] + one[k - 1]);
        taps.weight[0] *= 0.5f;
    }
    return taps;
}

} // namespace systole
