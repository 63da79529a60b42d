#include "compute/methods/clg/trend.h"

#include <algorithm>

namespace systole::clg {
namespace {

constexpr double fewVoxels = 4, maxVoxels = 10;
constexpr double thickSlice = 2.5;

double longestEdge(const PyramidLevel& finest) {
    return std::max({finest.size.x * finest.spacing.x, finest.size.y * finest.spacing.y,
                     finest.size.z * finest.spacing.z});
}

} // namespace

TrendGrid trendGrid(const std::vector<PyramidLevel>& levels, std::size_t level, TrendWidth width) {
    TrendGrid grid;
    grid.level = level;
    if (width.voxels > 0) {
        grid.taps = tapsOfAxes(levels[level].alongAxes(width.voxels));
        return grid;
    }
    const double length = width.share * longestEdge(levels.front());
    const auto sigma = [&](std::size_t on) { return length / smallestOf(levels[on].spacing); };
    while (grid.level + 1 < levels.size() && sigma(grid.level) > fewVoxels) {
        ++grid.level;
        for (std::size_t axis = 0; axis < 3; ++axis)
            grid.factor[axis] *= levels[grid.level].factor[axis];
    }
    grid.taps = tapsOfAxes(levels[grid.level].alongAxes(std::min(sigma(grid.level), maxVoxels)),
                           cubicMeanTaps);
    return grid;
}

std::vector<TrendGrid> trendGrids(const std::vector<PyramidLevel>& levels, TrendWidth width) {
    const Vec3 spacing = levels.front().spacing;
    const bool thick =
        std::max({spacing.x, spacing.y, spacing.z}) > thickSlice * smallestOf(spacing);
    std::vector<TrendGrid> grids;
    if (width.voxels > 0 || (width.share > 0 && !thick))
        for (std::size_t level = 0; level < levels.size(); ++level)
            grids.push_back(trendGrid(levels, level, width));
    return grids;
}

} // namespace systole::clg
