#include "app/bench/similarity.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

constexpr int bins = 64;

std::size_t binOf(float gray) {
    return static_cast<std::size_t>(
        std::clamp(static_cast<int>(std::floor(gray / 256 * bins)), 0, bins - 1));
}

double entropy(const std::vector<double>& counts, double total) {
    double sum = 0;
    for (const double count : counts)
        if (count > 0)
            sum -= count / total * std::log(count / total);
    return sum;
}

} // namespace

double normalizedCorrelation(VolumeView<const float> a, VolumeView<const float> b) {
    const auto n = static_cast<double>(a.voxels());
    double meanA = 0, meanB = 0, aa = 0, bb = 0, ab = 0;
    for (std::size_t i = 0; i < a.voxels(); ++i) {
        meanA += static_cast<double>(a.data[i]);
        meanB += static_cast<double>(b.data[i]);
    }
    meanA /= n;
    meanB /= n;
    for (std::size_t i = 0; i < a.voxels(); ++i) {
        const double x = static_cast<double>(a.data[i]) - meanA;
        const double y = static_cast<double>(b.data[i]) - meanB;
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

double normalizedMutualInformation(VolumeView<const float> a, VolumeView<const float> b) {
    std::vector<double> joint(bins * bins), ofA(bins), ofB(bins);
    for (std::size_t i = 0; i < a.voxels(); ++i) {
        const std::size_t x = binOf(a.data[i]), y = binOf(b.data[i]);
        ++joint[x * bins + y];
        ++ofA[x];
        ++ofB[y];
    }
    const auto n = static_cast<double>(a.voxels());
    const double together = entropy(joint, n);
    return together > 0 ? (entropy(ofA, n) + entropy(ofB, n)) / together : 2;
}

} // namespace systole
