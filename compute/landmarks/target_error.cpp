#include "compute/landmarks/target_error.h"

#include "compute/core/error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// `sorted` isn't empty.
double quantile(const std::vector<double>& sorted, double fraction) {
    const double at = fraction * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

void requirePairs(const PointPairs& pairs) {
    if (pairs.fixed.size() != pairs.moving.size())
        throw ComputeError("pairs of points need as many fixed as moving ones");
}

} // namespace

ErrorFigures errorFigures(std::span<const double> errors) {
    if (errors.empty())
        return {0, nothing, nothing, nothing, nothing, nothing, nothing, nothing, 0};
    ErrorFigures figures;
    figures.count = errors.size();
    const auto n = static_cast<double>(errors.size());
    for (const double error : errors)
        figures.mean += error / n;
    double squares = 0;
    for (const double error : errors)
        squares += (error - figures.mean) * (error - figures.mean);
    figures.deviation = errors.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;
    std::vector<double> sorted(errors.begin(), errors.end());
    std::ranges::sort(sorted);
    figures.quartile = quantile(sorted, 0.25);
    figures.median = quantile(sorted, 0.5);
    figures.upperQuartile = quantile(sorted, 0.75);
    figures.percentile95 = quantile(sorted, 0.95);
    figures.largest = sorted.back();
    figures.largestAt = static_cast<std::size_t>(std::ranges::max_element(errors) - errors.begin());
    return figures;
}

PointErrors initialErrors(const PointPairs& pairs) {
    requirePairs(pairs);
    PointErrors errors;
    for (std::size_t i = 0; i < pairs.fixed.size(); ++i)
        errors.emplace_back(length(pairs.moving[i] - pairs.fixed[i]));
    return errors;
}

PointErrors targetErrors(const PointPairs& pairs, const std::vector<std::optional<Vec3>>& moved,
                         const Geometry* grid) {
    requirePairs(pairs);
    if (moved.size() != pairs.fixed.size())
        throw ComputeError("there must be as many moved points as fixed ones");
    PointErrors errors(moved.size());
    for (std::size_t i = 0; i < moved.size(); ++i)
        if (moved[i])
            errors[i] =
                length((grid ? nearestVoxelCenter(*grid, *moved[i]) : *moved[i]) - pairs.moving[i]);
    return errors;
}

std::vector<double> known(const PointErrors& errors) {
    std::vector<double> there;
    for (const std::optional<double>& error : errors)
        if (error)
            there.push_back(*error);
    return there;
}

std::optional<Vec3> movedBy(const MillimeterField& field, Vec3 p) {
    const Size3 size = field.geometry.size();
    Vec3 index = field.geometry.physicalToIndex(p);
    int low[3], high[3];
    double part[3];
    for (int axis = 0; axis < 3; ++axis) {
        const int n = size[axis];
        // A billionth of a voxel is what converting a point costs.
        constexpr double rounding = 1e-9;
        if (!(index[axis] >= -0.5 - rounding && index[axis] <= n - 0.5 + rounding))
            return {};
        const double inside = std::clamp(index[axis], 0.0, static_cast<double>(n - 1));
        low[axis] = std::min(static_cast<int>(inside), std::max(n - 2, 0));
        high[axis] = std::min(low[axis] + 1, n - 1);
        part[axis] = inside - low[axis];
    }
    Vec3 displacement;
    for (int corner = 0; corner < 8; ++corner) {
        int at[3];
        double weight = 1;
        for (int axis = 0; axis < 3; ++axis) {
            const bool upper = (corner >> axis & 1) != 0;
            at[axis] = upper ? high[axis] : low[axis];
            weight *= upper ? part[axis] : 1 - part[axis];
        }
        const std::size_t voxel =
            static_cast<std::size_t>(at[0]) +
            static_cast<std::size_t>(size.x) *
                (static_cast<std::size_t>(at[1]) +
                 static_cast<std::size_t>(size.y) * static_cast<std::size_t>(at[2]));
        const float* const vector = field.vectors.data() + 3 * voxel;
        for (int axis = 0; axis < 3; ++axis)
            displacement[axis] += weight * static_cast<double>(vector[axis]);
    }
    return p + displacement;
}

Vec3 nearestVoxelCenter(const Geometry& grid, Vec3 p) {
    const Vec3 index = grid.physicalToIndex(p);
    return grid.indexToPhysical({std::round(index.x), std::round(index.y), std::round(index.z)});
}

} // namespace systole
