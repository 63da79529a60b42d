#include "compute/ops/quantile_math.h"
#include "compute/ops/reduce.h"

#include <algorithm>

namespace systole {

std::vector<float> quantiles(VolumeView<const float> volume, const std::vector<double>& parts) {
    const std::size_t stride = quantile::sampleStride(volume.voxels());
    std::vector<float> sample;
    sample.reserve(quantile::sampleCount(volume.voxels()));
    for (std::size_t i = 0; i < volume.voxels(); i += stride)
        sample.push_back(volume.data[i]);
    std::vector<float> values;
    for (const double part : parts) {
        const auto rank = static_cast<std::ptrdiff_t>(quantile::rankOf(part, sample.size()));
        std::nth_element(sample.begin(), sample.begin() + rank, sample.end());
        values.push_back(sample[static_cast<std::size_t>(rank)]);
    }
    return values;
}

} // namespace systole
