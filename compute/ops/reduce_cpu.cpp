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

double jacobianDeterminant(FieldView<const float> field, int x, int y, int z) {
    double m[3][3];
    for (int k = 0; k < 3; ++k) {
        const VolumeView<const float> c = field.componentView(k);
        const auto half = [](float ahead, float behind) {
            return 0.5 * (static_cast<double>(ahead) - static_cast<double>(behind));
        };
        m[k][0] = half(c(x + 1, y, z), c(x - 1, y, z));
        m[k][1] = half(c(x, y + 1, z), c(x, y - 1, z));
        m[k][2] = half(c(x, y, z + 1), c(x, y, z - 1));
        m[k][k] += 1;
    }
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

} // namespace systole
