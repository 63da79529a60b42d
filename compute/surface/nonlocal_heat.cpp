#include "compute/surface/nonlocal_heat.h"

#include "compute/core/chunk_sums.h"
#include "compute/ops/over_voxels.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace systole::nlm {

constexpr int chunk = 1024; ///< elements per chunk

double meanDistance(NeighborView lists, int elements, const ExecContext& ctx) {
    struct Sums {
        double distance = 0, count = 0;
        void operator+=(const Sums& other) {
            distance += other.distance;
            count += other.count;
        }
    };
    const Sums sums = sumOfChunks(ctx, elements, chunk, [&](int begin, int end) {
        Sums part;
        for (std::ptrdiff_t i = std::ptrdiff_t{begin} * lists.m; i < std::ptrdiff_t{end} * lists.m;
             ++i)
            if (lists.distance[i] < std::numeric_limits<float>::infinity()) {
                part.distance += static_cast<double>(lists.distance[i]);
                ++part.count;
            }
        return part;
    });
    return sums.distance / sums.count;
}

WeightScale weightScale(const NonlocalMeansParameters& parameters, Vec3 spacing,
                        double meanDistance) {
    const double side = meanVoxelSide(spacing);
    // Equal patches have weight 1 however small the mean is.
    constexpr double smallestNormal = std::numeric_limits<float>::min();
    return {{static_cast<float>(spacing.x), static_cast<float>(spacing.y),
             static_cast<float>(spacing.z)},
            static_cast<float>(1 / (parameters.c1 * side * side)),
            static_cast<float>(1 / std::max(smallestNormal, parameters.c2 * meanDistance))};
}

float weigh(Size3 size, std::span<const int> band, NeighborView lists, const WeightScale& scale,
            const ExecContext& ctx) {
    const auto voxelOf = [&](int e) { return voxelAt(size, band[static_cast<std::size_t>(e)]); };
    return static_cast<float>(
        parallelMax(ctx, static_cast<int>(band.size()), chunk, [&](int begin, int end) {
            ctx.throwIfCancelled();
            float largest = 0;
            for (int j = begin; j < end; ++j) {
                const Voxel p = voxelOf(j);
                float sum = 0;
                for (int k = 0; k < lists.m; ++k) {
                    const std::ptrdiff_t at = std::ptrdiff_t{j} * lists.m + k;
                    float& value = lists.distance[at];
                    value = std::exp(exponentOf(scale, p, voxelOf(lists.element[at]), value));
                    sum += value;
                }
                largest = std::max(largest, sum);
            }
            return static_cast<double>(largest);
        }));
}

float iterateHeat(VolumeView<float> phi, std::span<const int> band, NeighborView lists,
                  float largestSum, int iterations, const ExecContext& ctx) {
    std::vector<float> values(band.size()), next(band.size());
    for (std::size_t j = 0; j < band.size(); ++j)
        values[j] = phi.data[band[j]];
    const float dt = 1 / largestSum;
    for (int n = 0; n < iterations; ++n) {
        ctx.throwIfCancelled();
        overItems(values.size(), chunk, ctx, [&](std::size_t j) {
            const auto m = static_cast<std::size_t>(lists.m);
            float sum = 0;
            for (std::size_t at = j * m; at < (j + 1) * m; ++at)
                sum += lists.distance[at] *
                       (values[static_cast<std::size_t>(lists.element[at])] - values[j]);
            next[j] = values[j] + dt * sum;
        });
        values.swap(next);
    }
    float largest = 0;
    for (std::size_t j = 0; j < band.size(); ++j) {
        largest = std::max(largest, std::abs(values[j] - phi.data[band[j]]));
        phi.data[band[j]] = values[j];
    }
    return largest;
}

} // namespace systole::nlm
