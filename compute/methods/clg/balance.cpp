#include "compute/methods/clg/balance.h"

#include "compute/methods/clg/balance_math.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

using namespace clg;

constexpr int block = correlationBlock;

/// Lag-one correlation of one block, the mean over its fine axes; negative infinity when it is
/// constant.
double blockCorrelation(VolumeView<const float> v, std::array<bool, 3> fine, int x0, int y0,
                        int z0) {
    double mean = 0;
    for (int z = 0; z < block; ++z)
        for (int y = 0; y < block; ++y)
            for (int x = 0; x < block; ++x)
                mean += static_cast<double>(v(x0 + x, y0 + y, z0 + z));
    mean /= block * block * block;
    double variance = 0;
    std::array<double, 3> covariance{};
    for (int z = 0; z < block; ++z)
        for (int y = 0; y < block; ++y)
            for (int x = 0; x < block; ++x) {
                const auto at = [&](int i, int j, int k) {
                    return static_cast<double>(v(x0 + i, y0 + j, z0 + k)) - mean;
                };
                const double here = at(x, y, z);
                variance += here * here;
                if (x + 1 < block)
                    covariance[0] += here * at(x + 1, y, z);
                if (y + 1 < block)
                    covariance[1] += here * at(x, y + 1, z);
                if (z + 1 < block)
                    covariance[2] += here * at(x, y, z + 1);
            }
    if (!(variance > minVariance))
        return -INFINITY;
    double sum = 0;
    int axes = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (fine[axis]) {
            sum += covariance[axis];
            ++axes;
        }
    return sum / (axes * correlationPairs * variance);
}

} // namespace

double meanSquaredResidual(VolumeView<const float> fixed, VolumeView<const float> warped,
                           VolumeView<const float> inside, const ExecContext& ctx) {
    const Size3 size = fixed.size;
    const auto sumOver = [&](const auto& value) {
        return parallelSum(ctx, size.z, 1, [&](int begin, int end) {
            double sum = 0;
            for (int z = begin; z < end; ++z)
                for (int y = 0; y < size.y; y += rowStep) {
                    const std::size_t row = fixed.offset(0, y, z);
                    float rowSum = 0;
                    for (std::size_t i = row; i < row + static_cast<std::size_t>(size.x); ++i)
                        rowSum += value(i);
                    sum += static_cast<double>(rowSum);
                }
            return sum;
        });
    };
    const double count = sumOver([&](std::size_t i) { return inside.data[i]; });
    const double squared = sumOver([&](std::size_t i) {
        const float difference = warped.data[i] - fixed.data[i];
        return inside.data[i] * difference * difference;
    });
    return count > 0 ? squared / count : 0;
}

bool warpHelps(VolumeView<const float> fixed, VolumeView<const float> moving,
               VolumeView<const float> warped, VolumeView<const float> inside,
               const ExecContext& ctx) {
    const auto squared = [&](VolumeView<const float> frame) {
        return parallelSum(ctx, fixed.size.z, 1, [&](int begin, int end) {
            double sum = 0;
            for (std::size_t i = fixed.offset(0, 0, begin); i < fixed.offset(0, 0, end); ++i) {
                const float difference = frame.data[i] - fixed.data[i];
                sum += static_cast<double>(inside.data[i] * difference * difference);
            }
            return sum;
        });
    };
    return squared(warped) < squared(moving);
}

double fieldRoughness(FieldView<const float> field, std::array<float, 3> scale,
                      const ExecContext& ctx) {
    const Size3 size = field.size;
    std::size_t rows = 0;
    for (int y = 0; y < size.y; y += rowStep)
        ++rows;
    const double sum = parallelSum(ctx, size.z, 1, [&](int begin, int end) {
        double planes = 0;
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; y += rowStep)
                for (int k = 0; k < 3; ++k) {
                    const VolumeView<const float> c = field.componentView(k);
                    const float* row = c.row(y, z);
                    const float* nextY = c.row(std::min(y + 1, size.y - 1), z);
                    const float* nextZ = c.row(y, std::min(z + 1, size.z - 1));
                    const auto factor = [&](std::size_t axis) {
                        return lengthPerLength(scale[static_cast<std::size_t>(k)], scale[axis]);
                    };
                    const float fx = factor(0), fy = factor(1), fz = factor(2);
                    float rowSum = 0;
                    for (int x = 0; x < size.x; ++x) {
                        const float dx = x + 1 < size.x ? fx * (row[x + 1] - row[x]) : 0;
                        const float dy = fy * (nextY[x] - row[x]), dz = fz * (nextZ[x] - row[x]);
                        rowSum += dx * dx + dy * dy + dz * dz;
                    }
                    planes += static_cast<double>(rowSum);
                }
        return planes;
    });
    const double voxels = static_cast<double>(rows) * size.x * size.z;
    return std::sqrt(sum / voxels);
}

double neighborCorrelation(VolumeView<const float> v, std::array<float, 3> scale,
                           const ExecContext& ctx) {
    const Size3 size = v.size;
    const std::array<bool, 3> fine{countsAsFine(scale[0]), countsAsFine(scale[1]),
                                   countsAsFine(scale[2])};
    if (size.x < block || size.y < block || size.z < block)
        return 1;
    std::array<std::vector<int>, 3> starts;
    for (int axis = 0; axis < 3; ++axis) {
        for (int n = 0; n < correlationBlocks(size[axis]); ++n)
            starts[static_cast<std::size_t>(axis)].push_back(correlationBlockStart(size[axis], n));
    }
    const std::size_t perLayer = starts[0].size() * starts[1].size();
    std::vector<double> correlation(perLayer * starts[2].size());
    parallelFor(ctx, static_cast<int>(starts[2].size()), 1, [&](int begin, int end) {
        for (int layer = begin; layer < end; ++layer) {
            std::size_t out = perLayer * static_cast<std::size_t>(layer);
            for (const int y : starts[1])
                for (const int x : starts[0])
                    correlation[out++] =
                        blockCorrelation(v, fine, x, y, starts[2][static_cast<std::size_t>(layer)]);
        }
    });
    std::erase_if(correlation, [](double c) { return !std::isfinite(c); });
    if (correlation.empty())
        return 1;
    const auto middle = correlation.begin() + static_cast<std::ptrdiff_t>(correlation.size() / 2);
    std::nth_element(correlation.begin(), middle, correlation.end());
    return *middle;
}

} // namespace systole
