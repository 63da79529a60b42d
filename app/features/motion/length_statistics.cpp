#include "app/features/motion/length_statistics.h"

#include "compute/core/median.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace systole {

std::optional<LengthStatistics> lengthStatistics(const MillimeterField& field,
                                                 VolumeView<const float> weight) {
    const float* vectors = field.vectors.data();
    std::vector<float> lengths;
    lengths.reserve(field.geometry.voxels());
    double sum = 0;
    for (std::size_t i = 0; i < field.geometry.voxels(); ++i)
        if (weight.empty() || weight.data[i] >= 0.5f) {
            lengths.push_back(std::hypot(vectors[3 * i], vectors[3 * i + 1], vectors[3 * i + 2]));
            sum += static_cast<double>(lengths.back());
        }
    if (lengths.empty())
        return std::nullopt;
    const auto rank = static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(lengths.size() - 1));
    std::nth_element(lengths.begin(), lengths.begin() + rank, lengths.end());
    LengthStatistics result;
    result.mean = sum / static_cast<double>(lengths.size());
    result.percentile95 = static_cast<double>(lengths[static_cast<std::size_t>(rank)]);
    result.maximum = static_cast<double>(*std::max_element(lengths.begin() + rank, lengths.end()));
    return result;
}

std::optional<Vec3> componentMedians(const MillimeterField& field, VolumeView<const float> weight) {
    Vec3 medians;
    for (int axis = 0; axis < 3; ++axis) {
        std::vector<double> sizes;
        for (std::size_t i = 0; i < field.geometry.voxels(); ++i)
            if (weight.empty() || weight.data[i] >= 0.5f)
                sizes.push_back(static_cast<double>(
                    std::abs(field.vectors.data()[3 * i + static_cast<std::size_t>(axis)])));
        if (sizes.empty())
            return std::nullopt;
        medians[axis] = median(std::move(sizes));
    }
    return medians;
}

} // namespace systole
